import { IN_RECORDS } from '../../src/core/party-modes.ts';
import { readCsv } from '../../src/formats/csv.ts';
import { indexRegisters, type PrepareTools } from '../../src/importing/mapping/record.ts';
import { createWithholding } from '../../src/records/withholding.ts';
import type { Cell, MappedRecord, Register, Rejection, TableSource } from '../../src/registers/contract.ts';
import type { SyntheticFile } from '../../synthetic/file.ts';

export type Row = Readonly<Record<string, string>>;

export interface MapContext {
  readonly codes?: unknown;
  /** Rows that other sources join to the row, by source. */
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
}

/** Maps one row of a table and collects the reported problems. */
export function mapRow(source: TableSource<unknown>, row: Row, { codes = null, rows = {} }: MapContext = {}) {
  const reports: string[][] = [];
  const context = {
    codes,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const joined = (name: string) => (rows[name] ?? []).map(toCell);
  const result = source.map?.(toCell(row), context, joined) as MappedRecord | Rejection;
  return { result, record: result as MappedRecord, reports };
}

export function toCell(row: Row): Cell {
  return (column) => row[column] ?? '';
}

/** Parses a hand-written CSV text in the dialect of the source. */
export async function parseTable(source: TableSource<unknown>, text: string): Promise<Row[]> {
  const lines: (readonly string[])[] = [];
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  if (source.csv === undefined) throw new Error('not a CSV');
  for await (const batch of readCsv(bytes, source.csv)) for (const { value } of batch) lines.push(value);
  const [header = [], ...rows] = lines;
  return rows.map((cells) => Object.fromEntries(header.map((name, index) => [name.trim(), cells[index] ?? ''])));
}

/** The rows of a generated CSV, by column name. For an archive, `entry` names the file in it. */
export function listSyntheticRows({ content }: SyntheticFile, entry?: string): Row[] {
  const csv = content.type === 'archive' ? content.files.find(({ name }) => name === entry)?.content : content;
  if (csv?.type !== 'csv') throw new Error('no such CSV');
  return Array.from(csv.rows, (cells) =>
    Object.fromEntries(csv.header.map((name, index) => [name, cells[index] ?? ''])),
  );
}

/** What preparing a record needs, with persons. */
export function prepareTools(register: Register, registers: readonly Register[] = [register]): PrepareTools {
  const withholding = createWithholding(register, { [IN_RECORDS]: 'names' });
  return { register, registers: indexRegisters(registers), withholding };
}
