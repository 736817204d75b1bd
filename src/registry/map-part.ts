import { basename } from 'node:path';
import { BATCH, type Batches, FormatError, type SourceRow } from '../formats/rows.ts';
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

/** Which rows of a part to map, where several threads read the same: every `of`th block of them, from the one of this `index` on. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

export const WHOLE: Share = { index: 0, of: 1 };

/** Streams a part through the register's `map`; what is wrong with a row goes to `problems`. One batch a block. */
export async function* mapPart(
  part: Recognized,
  register: Register,
  codes: unknown,
  problems: Problems,
  onBytes: (count: number) => void,
  share: Share,
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
  try {
    for await (const batch of takeShare<unknown>(part.read(onBytes), share)) {
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
  } catch (error) {
    throw nameFile(error, file);
  }
}

/** Readers know the place in a file; which of several files it is in is known here. */
export function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof FormatError) || error.message.includes(file)) return error;
  return new FormatError(`${file}: ${error.message}`);
}

/** Blocks are counted by rows, for how many of them come at once depends on how the file was read. */
async function* takeShare<T>(batches: Batches<T>, { index, of }: Share): Batches<T> {
  let count = 0;
  let block: SourceRow<T>[] = [];
  for await (const batch of batches) {
    for (const row of batch) {
      const isOurs = Math.floor(count / BATCH) % of === index;
      if (isOurs) block.push(row);
      count++;
      if (isOurs && count % BATCH === 0) {
        yield block;
        block = [];
      }
    }
  }
  if (block.length > 0) yield block;
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
