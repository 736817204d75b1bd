import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { EntityFormat, PartyFormat } from '../base/export-formats.ts';
import type { BulkParty } from '../registry/parties/bulk/bulk.ts';
import { type EntityParts, joinParts } from '../registry/records/records.ts';
import { createCsvWriter, csvSchema, writeCsvFile } from './csv.ts';
import type { ExportColumn } from './folder.ts';
import { describeColumns, entityRows } from './parquet/columns.ts';
import { createParquetWriter } from './parquet/group.ts';
import type { PartFile, PartWriter } from './part-file.ts';
import { type BodsRegister, createStatements } from './parties/bods.ts';
import { listPartyCells, partyCellSchema, partyRowSchema, partyRows } from './parties/columns.ts';

interface FormatOfFiles<Row> {
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
    schema: describeColumns(entityRows.columns),
    createWriter: (file) => createParquetWriter(file, entityRows),
  },
  ndjson: {
    extension: 'ndjson.zst',
    schema: line('The record, byte for byte as `data` of `GET /api/v1/entities/{id}`; `EntityDetail` in the contract.'),
    createWriter: (file) => writeLines(file, (record) => [joinParts(record)]),
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

const CHUNK = 1 << 20;
/** Large enough for a compressed chunk, which then takes one turn of the event loop instead of five. */
const OUTPUT = CHUNK / 4;

/** UTF-8 takes at most this many bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Level 3 would make files 6 % smaller and take a tenth more of the CPU time of an export. */
const LEVEL = 1;

/** Writes the lines of each record, compressed as one zstd frame: some readers stop after the first frame. */
function writeLines<Row>(file: PartFile, listLines: (record: Row) => Iterable<string>): PartWriter<Row> {
  const compress = createZstdCompress({ chunkSize: OUTPUT, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  const written = pipeline(compress, async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const bytes of compressed) file.write(bytes);
  });
  // An error is thrown by the next call.
  written.catch(() => undefined);
  // Two chunks in turn: one is filled while another thread compresses the other.
  let chunk = Buffer.allocUnsafeSlow(CHUNK);
  let other = Buffer.allocUnsafeSlow(CHUNK);
  let used = 0;
  let compressing: Promise<void> = Promise.resolve();
  const flush = async (nextSize: number) => {
    await compressing;
    if (compress.errored !== null) throw compress.errored;
    const full = chunk.subarray(0, used);
    compressing = new Promise((resolve) => compress.write(full, () => resolve()));
    [chunk, other] = [other.length < nextSize ? Buffer.allocUnsafeSlow(nextSize) : other, chunk];
    used = 0;
  };
  return {
    async add(records) {
      for (const record of records) {
        // Texts are encoded one by one: in a joined text, one character beyond Latin-1 would make every character take two bytes.
        for (const text of listLines(record)) {
          const line = `${text}\n`;
          const size = line.length * MAX_BYTES_PER_UNIT;
          if (used + size > chunk.length) await flush(size);
          used += chunk.write(line, used);
        }
      }
    },
    async end() {
      // If the end came while a chunk is compressed, the compressed bytes would depend on timing.
      await compressing;
      compress.end(chunk.subarray(0, used));
      await written;
    },
  };
}
