import type { BulkParty } from '../parties/bulk/bulk.ts';
import type { EntityParts } from '../records/entity.ts';
import { createCsvWriter, csvSchema, writeCsvFile } from './csv.ts';
import type { EntityFormat, ExportColumn, PartyFormat } from './manifest.ts';
import { createNdjsonWriter, writeLines } from './ndjson.ts';
import { columns, describeColumns } from './parquet/columns.ts';
import { entityRows } from './parquet/entity-rows.ts';
import { createParquetWriter } from './parquet/writer.ts';
import type { PartFile, PartWriter } from './part-file.ts';
import { type BodsRegister, createStatements } from './parties/bods.ts';
import { listPartyCells, partyCellSchema, partyRowSchema, partyRows } from './parties/columns.ts';

interface FormatOfFiles<Row> {
  /** How the names of files end. */
  readonly extension: string;
  readonly schema: readonly ExportColumn[];
  createWriter(file: PartFile, registers?: readonly BodsRegister[]): PartWriter<Row>;
}

function line(description: string): readonly ExportColumn[] {
  return [{ name: '(line)', type: 'JSON object', description }];
}

type Formats = Readonly<Record<EntityFormat, FormatOfFiles<EntityParts>>> &
  Readonly<Record<PartyFormat, FormatOfFiles<BulkParty>>>;

export const formats: Formats = {
  parquet: {
    extension: 'parquet',
    schema: describeColumns(columns),
    createWriter: (file) => createParquetWriter(file, entityRows),
  },
  ndjson: {
    extension: 'ndjson.zst',
    schema: line('The record, byte for byte as `data` of `GET /api/v1/entities/{id}`; `EntityDetail` in the contract.'),
    createWriter: createNdjsonWriter,
  },
  csv: { extension: 'csv', schema: csvSchema, createWriter: createCsvWriter },
  'parties-parquet': {
    extension: 'parquet',
    schema: partyRowSchema,
    createWriter: (file) => createParquetWriter(file, partyRows),
  },
  'parties-ndjson': {
    extension: 'ndjson.zst',
    schema: line(
      'A party as in `GET /api/v1/entities/{id}/parties`, with `id`, `register`, `companyNumber` and `companyId`.',
    ),
    createWriter: (file) => writeLines(file, ({ shown }) => [JSON.stringify(shown)]),
  },
  'parties-csv': {
    extension: 'csv',
    schema: partyCellSchema,
    createWriter: (file) => writeCsvFile(file, partyCellSchema, listPartyCells),
  },
  bods: {
    extension: 'ndjson.zst',
    schema: line(
      'A statement of the Beneficial Ownership Data Standard 0.4. A party has up to three; `rows` counts parties.',
    ),
    createWriter: (file, registers) => writeLines(file, createStatements(registers ?? [])),
  },
};
