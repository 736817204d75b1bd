import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { PartFile, PartWriter } from '../part-file.ts';
import type { Column } from './columns.ts';
import { type Chunk, Leaf } from './leaf.ts';
import { compileColumn, type Losses } from './shapes.ts';

/** A column of the row group that is being filled. */
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

function createColumn(column: Column, losses: Losses, schema: SchemaElement[]): GroupColumn {
  const { name, shape, required = false, bloomFilter: hasFilter = false } = column;
  const leaves: Leaf[] = [];
  const add = compileColumn(name, shape, required, {
    losses,
    schema,
    createLeaf(path, maxDefinition, maxRepetition) {
      const isPlain = shape === 'json' || shape === 'jsonText';
      const leaf = new Leaf({ path, maxDefinition, maxRepetition, isPlain, hasFilter });
      leaves.push(leaf);
      return leaf;
    },
  });
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

/** A row group ends at the first of these limits. The bytes are counted in the JSON texts: the memory of a thread is a fraction of that. */
const MAX_GROUP_ROWS = 50_000;
const MAX_GROUP_BYTES = 256 << 20;

export function createParquetWriter<Row>(file: PartFile, { columns, shred }: RowLayout<Row>): PartWriter<Row> {
  const output = new ByteWriter();
  output.finish = () => {
    file.write(output.getBytes());
    output.index = 0;
  };
  const losses: Losses = { isLost: false };
  const schema: SchemaElement[] = [{ name: 'entity', num_children: columns.length }];
  const byName = new Map(columns.map((column) => [column.name, createColumn(column, losses, schema)]));
  const add = shred(({ name }) => byName.get(name) as GroupColumn, losses);
  const parquet = new ParquetWriter({ writer: output, schema });
  let rows = 0;
  let bytes = 0;

  /** Writes the chunks of all columns and starts the next group. */
  function writeGroup(): void {
    const start = output.offset;
    const chunks: Chunk[] = [];
    for (const column of byName.values()) {
      column.fill(rows);
      for (const leaf of column.leaves) {
        chunks.push(leaf.write(output));
        output.finish();
      }
    }
    parquet.pendingIndexes.push(...chunks);
    parquet.row_groups.push({
      columns: chunks.map(({ chunk }) => chunk),
      total_byte_size: BigInt(output.offset - start),
      num_rows: BigInt(rows),
    });
    parquet.num_rows += BigInt(rows);
    rows = 0;
    bytes = 0;
  }

  return {
    add(records) {
      for (const record of records) bytes += add(record, rows++);
      if (rows > MAX_GROUP_ROWS - records.length || bytes >= MAX_GROUP_BYTES) writeGroup();
    },
    end() {
      if (rows > 0) writeGroup();
      // The library writes the end of the file: indexes, filters and metadata.
      parquet.finish();
    },
  };
}
