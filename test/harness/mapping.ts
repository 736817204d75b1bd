import type { MappedRecord, Rejection, TableSource } from '../../src/registers/contract.ts';

/** Maps one row of a table that needs no codes, and collects what was reported. */
export function mapRow(source: TableSource<unknown>, row: Readonly<Record<string, string>>) {
  const reports: string[][] = [];
  const context = { codes: null, report: (...report: string[]) => void reports.push(report) };
  const result = source.map?.((column) => row[column] ?? '', context) as MappedRecord | Rejection;
  return { result, record: result as MappedRecord, reports };
}
