import type { ByteWriter } from 'hyparquet-writer';
import type { EntityParts } from '../../records/entity.ts';
import { type Column, columns, otherColumns, registryColumns, summaryColumns } from './columns.ts';
import { Leaf } from './leaf.ts';
import type { Chunk } from './pages.ts';
import { elements } from './schema.ts';
import { compileShape, type Losses } from './shapes.ts';

/** The row group that is being filled. */
interface Group {
  add(record: EntityParts): void;
  rows(): number;
  /** The size of the JSON texts in the group. */
  bytes(): number;
  /** Writes the chunks of all columns and starts the next group. */
  write(writer: ByteWriter): Chunk[];
}

interface GroupColumn {
  readonly leaves: readonly Leaf[];
  /** First adds the rows before `row` that had no value. A column without any value costs nothing per row. */
  add(value: unknown, row: number): void;
  /** Adds rows without a value up to the end of the group. */
  fill(rows: number): void;
}

export function createGroup(): Group {
  const losses: Losses = { isLost: false };
  const byName = new Map(columns.map((column) => [column.name, createColumn(column, losses)]));
  const find = ({ name }: Column) => byName.get(name) as GroupColumn;
  const summary = summaryColumns.map((column) => [column.name, find(column)] as const);
  const common = new Map([...registryColumns].map(([name, column]) => [name, find(column)]));
  const [registrations, related] = [find(otherColumns.registrations), find(otherColumns.related)];
  const [provenance, sourceData] = [find(otherColumns.provenance), find(otherColumns.sourceData)];
  const registryOther = find(otherColumns.registryOther);
  let rows = 0;
  let bytes = 0;

  function addRegistry(text: string): void {
    const registry: Readonly<Record<string, unknown>> = JSON.parse(text);
    let other: Record<string, unknown> | undefined;
    for (const name in registry) {
      const column = common.get(name);
      losses.isLost = column === undefined;
      column?.add(registry[name], rows);
      if (losses.isLost) {
        other ??= {};
        other[name] = registry[name];
      }
    }
    if (other !== undefined) registryOther.add(other, rows);
  }

  return {
    add(record) {
      for (const [name, column] of summary) column.add(Reflect.get(record.summary, name), rows);
      addRegistry(record.registry);
      registrations.add(JSON.parse(record.registrations), rows);
      related.add(record.related === '[]' ? [] : JSON.parse(record.related), rows);
      provenance.add(JSON.parse(record.provenance), rows);
      sourceData.add(record.sourceData, rows);
      bytes += record.registry.length + record.sourceData.length;
      rows++;
    },
    rows: () => rows,
    bytes: () => bytes,
    write(writer) {
      const all = [...byName.values()];
      for (const column of all) column.fill(rows);
      rows = 0;
      bytes = 0;
      return all.flatMap(({ leaves }) => leaves.map((leaf) => leaf.write(writer)));
    },
  };
}

const MAX_FILTER_BYTES = 1 << 20;

function createColumn({ name, shape, required, bloomFilter }: Column, losses: Losses): GroupColumn {
  const leaves: Leaf[] = [];
  const { add } = compileShape(
    name === otherColumns.sourceData.name ? 'text' : shape,
    losses,
    (scalar, path, maxDefinition, maxRepetition) => {
      const leaf = new Leaf({
        element: { name: path.at(-1) ?? name, ...elements[scalar] },
        path: [name, ...path],
        maxDefinition,
        maxRepetition,
        isPlain: shape === 'json',
        maxFilterBytes: bloomFilter && MAX_FILTER_BYTES,
      });
      leaves.push(leaf);
      return leaf;
    },
    required === true,
  );
  let next = 0;
  const fill = (row: number) => {
    if (next < row) for (const leaf of leaves) leaf.skip(row - next);
    next = row;
  };
  return {
    leaves,
    add(value, row) {
      fill(row);
      add(value, 0, 0);
      next = row + 1;
    },
    fill(rows) {
      fill(rows);
      next = 0;
    },
  };
}
