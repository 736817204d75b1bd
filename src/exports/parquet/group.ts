import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { PartFile, PartWriter } from '../part-file.ts';
import type { Column } from './columns.ts';
import { Leaf } from './leaf.ts';
import type { Chunk } from './pages.ts';
import { compileShape, type Losses, type Scalar, type Shape } from './shapes.ts';

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
  /** Before the value, adds empty values for skipped rows. So a column without any value costs nothing per row. */
  add(value: unknown, row: number): void;
  /** Adds rows without a value up to the end of the group. */
  fill(rows: number): void;
}

/** How the records of an export become rows. */
export interface RowLayout<Row> {
  readonly columns: readonly Column[];
  /** Returns a function that adds a record as a row to the columns of a group, and returns the size of its texts. */
  shred(find: (column: Column) => GroupColumn, losses: Losses): (record: Row, row: number) => number;
}

function createGroup<Row>({ columns, shred }: RowLayout<Row>): Group<Row> {
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

const elements: Readonly<Record<Scalar, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};

/** The schema of a file, which is a tree in depth-first order. */
function writeSchema(columns: readonly Column[]): SchemaElement[] {
  const fields = columns.flatMap(({ name, shape, required = false }) => writeField(name, shape, required));
  return [{ name: 'entity', num_children: columns.length }, ...fields];
}

function writeField(name: string, shape: Shape, required = false): SchemaElement[] {
  const repetition_type = required ? 'REQUIRED' : 'OPTIONAL';
  if (typeof shape === 'string') return [{ name, repetition_type, ...elements[shape] }];
  if ('list' in shape) {
    return [
      { name, repetition_type, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...writeField('element', shape.list),
    ];
  }
  const fields = Object.entries(shape.struct).flatMap(([field, type]) => writeField(field, type));
  return [{ name, repetition_type, num_children: Object.keys(shape.struct).length }, ...fields];
}

/** A row group ends at the first of these limits. The bytes are counted in the JSON texts: the memory of a thread is a fraction of that. */
const MAX_GROUP_ROWS = 50_000;
const MAX_GROUP_BYTES = 256 << 20;

/** The library writes the end of the file: indexes, filters and metadata. */
export function createParquetWriter<Row>(file: PartFile, layout: RowLayout<Row>): PartWriter<Row> {
  const output = createFileWriter(file);
  const parquet = new ParquetWriter({ writer: output, schema: writeSchema(layout.columns) });
  const group = createGroup(layout);
  const flush = () => {
    const rows = BigInt(group.rows());
    if (rows === 0n) return;
    const start = output.offset;
    const chunks = group.write(output);
    const total_byte_size = BigInt(output.offset - start);
    parquet.pendingIndexes.push(...chunks);
    parquet.row_groups.push({ columns: chunks.map(({ chunk }) => chunk), total_byte_size, num_rows: rows });
    parquet.num_rows += rows;
  };
  return {
    add(records) {
      for (const record of records) group.add(record);
      if (group.rows() > MAX_GROUP_ROWS - records.length || group.bytes() >= MAX_GROUP_BYTES) flush();
    },
    end() {
      flush();
      parquet.finish();
    },
  };
}

const FLUSH_BYTES = 1 << 20;

/** The library calls `ensure` before each write, and counts all written bytes in `offset`. */
function createFileWriter(file: PartFile): ByteWriter {
  const writer = new ByteWriter(2 * FLUSH_BYTES);
  const flush = () => {
    file.write(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  const grow = writer.ensure.bind(writer);
  writer.ensure = (size) => {
    if (writer.index >= FLUSH_BYTES) flush();
    grow(size);
  };
  writer.finish = flush;
  return writer;
}
