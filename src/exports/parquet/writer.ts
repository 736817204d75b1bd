import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { PartFile, PartWriter } from '../part-file.ts';
import { createGroup, type RowLayout } from './group.ts';
import { writeSchema } from './schema.ts';

/** A row group ends at the first of these. The bytes are those of the JSON texts: the memory of a thread is a fraction of them. */
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

/** The library calls `ensure` before each write, and counts in `offset` what was written in total. */
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
