import { basename } from 'node:path';
import type { CodeRow, Json, MapContext, MappedRecord, Register, Rejection } from '../registers/contract.ts';
import type { Problems } from './problems.ts';
import type { Recognized, RecognizedTable, RecognizedTree } from './recognize.ts';
import { type PreparedRecord, prepareRecord } from './record.ts';
import { createRowReader, nameColumns } from './table.ts';

/** A part with a `map` holds companies, one a row; others are joined to these, or code tables. */
export function hasRecords(part: Recognized): boolean {
  return part.source.map !== undefined;
}

/** The code tables, whole: they are lists of a few thousand codes. */
export async function readCodeTables(parts: readonly Recognized[]): Promise<Map<string, CodeRow[]>> {
  const tables = new Map<string, CodeRow[]>();
  for (const part of parts) {
    if (hasRecords(part) || !('header' in part) || part.source.joins !== undefined) continue;
    const names = nameColumns(part.header);
    const rows = tables.get(part.source.name) ?? [];
    for await (const batch of part.read(() => undefined)) {
      for (const { place, value } of batch) {
        if (place <= part.header.place) continue;
        rows.push(Object.fromEntries(names.map((name, index) => [name, value[index] ?? ''])));
      }
    }
    tables.set(part.source.name, rows);
  }
  return tables;
}

/** What came of a batch of source rows. */
export interface MappedBatch {
  /** The given file the records are from. */
  readonly file: string;
  readonly rows: number;
  /** Rows among them that were made into a record together with another. */
  readonly duplicates: number;
  readonly prepared: readonly PreparedRecord[];
}

/** Streams a part through the register's `map`; what is wrong with a row goes to `problems`. */
export async function* mapPart(
  part: Recognized,
  register: Register,
  codes: unknown,
  problems: Problems,
  onBytes: (count: number) => void,
): AsyncGenerator<MappedBatch> {
  if ('header' in part) for (const column of part.header.unknown) problems.noteUnknownColumn(column);
  const file = basename(part.file);
  const layout = 'header' in part ? part.header.layout.id : null;
  let place = 0;
  const context: MapContext<unknown> = {
    codes,
    report: (column, value, problem) => problems.report(file, place, column, value, problem),
  };
  const prepare = (mapped: MappedRecord | Rejection, sourceData: () => string): PreparedRecord[] => {
    if ('rejected' in mapped) {
      problems.reject(file, place, mapped.rejected);
      return [];
    }
    if (mapped.number === null) problems.noteWithoutNumber(file, place);
    return [prepareRecord(register, mapped, { layout, text: sourceData() }, place)];
  };
  const mapRow = 'header' in part ? tableMapper(part, context) : treeMapper(part, context, problems);
  for await (const batch of part.read(onBytes)) {
    const prepared: PreparedRecord[] = [];
    let rows = 0;
    for (const row of batch) {
      place = row.place;
      const mapped = mapRow(row.value as never, place);
      if (mapped === null) continue;
      rows++;
      for (const record of prepare(mapped.record, mapped.sourceData)) prepared.push(record);
    }
    yield { file: part.file, rows, duplicates: 0, prepared };
  }
}

interface MappedRow {
  readonly record: MappedRecord | Rejection;
  readonly sourceData: () => string;
}

function tableMapper(part: RecognizedTable, context: MapContext<unknown>) {
  const reader = createRowReader(part.header, part.kind);
  const map = part.source.map as NonNullable<typeof part.source.map>;
  return (cells: readonly string[], place: number): MappedRow | null => {
    if (place <= part.header.place) return null;
    const fault = reader.use(cells);
    const record = fault === null ? map(reader.cell, context) : { rejected: fault };
    return { record, sourceData: reader.sourceData };
  };
}

function treeMapper({ source }: RecognizedTree, context: MapContext<unknown>, problems: Problems) {
  const known = new Set(source.keys);
  return (value: Json): MappedRow => {
    const sourceData = () => JSON.stringify(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { record: { rejected: 'not an object' }, sourceData };
    }
    for (const key in value) if (!known.has(key)) problems.noteUnknownColumn(key);
    return { record: source.map(value as { [key: string]: Json }, context), sourceData };
  };
}
