import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { PartFile, PartWriter } from '../part-file.ts';
import { type Chunk, Leaf } from './leaf.ts';
import { compileColumn, type Shape } from './shapes.ts';

export interface Column {
  readonly name: string;
  readonly shape: Shape;
  readonly description: string;
  /** Set if the column has a value in every row. */
  readonly required?: true;
  /** Set for columns in which readers look up single values. */
  readonly bloomFilter?: true;
}

/** A column of the row group that is being filled. */
interface GroupColumn {
  /** Adds a value, after empty values for skipped rows, which cost nothing until then. Returns false if the value does not fit its shape. */
  add(value: unknown, row: number): boolean;
  /** Adds rows without a value up to the end of the group, and returns the leaves. The next row is the first one of the next group. */
  end(rows: number): readonly Leaf[];
}

export interface RowLayout<Row> {
  readonly columns: readonly Column[];
  /** Returns a function that adds a record as a row to the columns of a group, and returns the size of its texts. */
  shred(find: (column: Column) => GroupColumn): (record: Row, row: number) => number;
}

function createColumn(column: Column, schema: SchemaElement[]): GroupColumn {
  const { name, shape, required = false, bloomFilter: hasFilter = false } = column;
  const isPlain = shape === 'json' || shape === 'jsonText';
  const leaves: Leaf[] = [];
  const add = compileColumn(name, shape, required, {
    schema,
    createLeaf(path, maxDefinition) {
      const leaf = new Leaf({ path, maxDefinition, isPlain, hasFilter });
      leaves.push(leaf);
      return leaf;
    },
  });
  let next = 0;
  const fill = (row: number) => {
    if (next < row) for (const leaf of leaves) leaf.skip(row - next);
  };
  return {
    add(value, row) {
      fill(row);
      next = row + 1;
      return add(value, 0, 0);
    },
    end(rows) {
      fill(rows);
      next = 0;
      return leaves;
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
  const schema: SchemaElement[] = [{ name: 'entity', num_children: columns.length }];
  const byName = new Map(columns.map((column) => [column.name, createColumn(column, schema)]));
  const add = shred(({ name }) => byName.get(name) as GroupColumn);
  const parquet = new ParquetWriter({ writer: output, schema });
  let rows = 0;
  let bytes = 0;

  /** Writes the chunks of all columns and starts the next group. */
  function writeGroup(): void {
    const start = output.offset;
    const chunks: Chunk[] = [];
    for (const column of byName.values()) {
      for (const leaf of column.end(rows)) {
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
