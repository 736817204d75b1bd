import { writeCsvHeader, writeCsvRow } from '../../base/csv.ts';
import { type EntitySummary, summaryNames } from '../../base/entity-summary.ts';
import type { ResultLines } from '../../search/search.ts';

export type FileFormat = 'csv' | 'ndjson';

export const contentTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const CSV_HEADER = writeCsvHeader(summaryNames);

/** A file without rows. The columns of CSV have the names of the fields of a search result in the API. */
export function writeEmpty(format: FileFormat): string {
  return format === 'csv' ? CSV_HEADER : '';
}

/** The header is part of the first rows, so that nothing is sent, and nothing has to be paid, if there is no row. */
export function writeRows(
  format: FileFormat,
  { lines }: Pick<ResultLines, 'lines'>,
  isFirst: boolean,
): string | Uint8Array {
  if (format === 'ndjson') return lines;
  let text = isFirst ? CSV_HEADER : '';
  for (const line of decode(lines).split('\n')) if (line !== '') text += writeRow(JSON.parse(line));
  return text;
}

export function writePage(format: FileFormat, page: readonly EntitySummary[]): string {
  if (format === 'ndjson') return page.map((entity) => `${JSON.stringify(entity)}\n`).join('');
  return CSV_HEADER + page.map(writeRow).join('');
}

function writeRow(entity: EntitySummary): string {
  return writeCsvRow(summaryNames.map((name) => entity[name]));
}

interface SearchPage {
  readonly data: readonly EntitySummary[];
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

export function parsePage(body: Uint8Array): SearchPage {
  return JSON.parse(decode(body));
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
