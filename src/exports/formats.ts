import { createCsvWriter, csvSchema } from './csv.ts';
import type { ExportColumn, ExportFormat } from './manifest.ts';
import { createNdjsonWriter } from './ndjson.ts';
import { parquetSchema } from './parquet/columns.ts';
import { createParquetWriter } from './parquet/writer.ts';
import type { PartFile, PartWriter } from './part-file.ts';

interface FormatOfFiles {
  /** How the names of files end. */
  readonly extension: string;
  readonly schema: readonly ExportColumn[];
  createWriter(file: PartFile): PartWriter;
}

const RECORD: ExportColumn = {
  name: '(line)',
  type: 'JSON object',
  description: 'The record, byte for byte as `data` of `GET /api/v1/entities/{id}`; `EntityDetail` in the contract.',
};

export const formats: Readonly<Record<ExportFormat, FormatOfFiles>> = {
  parquet: { extension: 'parquet', schema: parquetSchema, createWriter: createParquetWriter },
  ndjson: { extension: 'ndjson.zst', schema: [RECORD], createWriter: createNdjsonWriter },
  csv: { extension: 'csv', schema: csvSchema, createWriter: createCsvWriter },
};
