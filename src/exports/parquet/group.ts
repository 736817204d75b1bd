import type { ByteWriter } from 'hyparquet-writer';
import type { Column } from './columns.ts';
import { Leaf } from './leaf.ts';
import type { Chunk } from './pages.ts';
import { elements } from './schema.ts';
import { compileShape, type Losses } from './shapes.ts';

/** The row group that is being filled. */
interface Group<Row> {
  add(record: Row): void;
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

/** How the records of an export become rows. */
export interface RowLayout<Row> {
  readonly columns: readonly Column[];
  /** Returns what adds a record as a row to the columns of a group, and returns the size of its texts. */
  shred(find: (column: Column) => GroupColumn, losses: Losses): (record: Row, row: number) => number;
}

export function createGroup<Row>({ columns, shred }: RowLayout<Row>): Group<Row> {
  const losses: Losses = { isLost: false };
  const byName = new Map(columns.map((column) => [column.name, createColumn(column, losses)]));
  const add = shred(({ name }) => byName.get(name) as GroupColumn, losses);
  let rows = 0;
  let bytes = 0;
  return {
    add(record) {
      bytes += add(record, rows);
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

function createColumn({ name, shape, required, bloomFilter, isText }: Column, losses: Losses): GroupColumn {
  const leaves: Leaf[] = [];
  const { add } = compileShape(
    isText ? 'text' : shape,
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
