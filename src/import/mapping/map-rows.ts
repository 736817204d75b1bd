import { basename } from 'node:path';
import { addFileName, BATCH, type Batches, type SourceRow } from '../../formats/rows.ts';
import type { CodeRow, MapContext, MappedParty, MappedRecord, Rejection, Tally } from '../../registers/contract.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import { isRecord } from '../../registry/records/withheld.ts';
import {
  createRowReader,
  createTracer,
  hasParties,
  hasRecords,
  isTable,
  nameColumns,
  type OnBytes,
  type Part,
  readRows,
  type TablePart,
  type TreePart,
} from '../reading/part.ts';
import { createRowIdentifier, type RejectedRow } from '../rejected/rejected-rows.ts';
import {
  A_PERSON,
  boundParty,
  boundRecord,
  createNumbering,
  type PreparedRow,
  type PrepareTools,
  prepareParty,
  prepareRecord,
  type StoredSource,
} from './prepare.ts';
import type { ProblemSink } from './problems.ts';

/** Everything besides the rows that mapping needs. */
export interface MapTools extends PrepareTools {
  /** All parts of the import: a record has the numbers of the parts from which it was read. */
  readonly parts: readonly ImportedPart[];
  readonly codes: unknown;
  readonly problems: ProblemSink;
  readonly onBytes: OnBytes;
}

/** Code tables by source name. Code tables are read into memory: lists of a few thousand codes. */
export type CodeTables = ReadonlyMap<string, readonly CodeRow[]>;

export async function loadCodeTables(parts: readonly Part[], problems: ProblemSink): Promise<CodeTables> {
  const tables = new Map<string, CodeRow[]>();
  for (const part of parts) {
    if (hasRecords(part) || !isTable(part) || part.source.joins !== undefined) continue;
    const { lookup } = part.source;
    if (hasParties(part) && lookup === undefined) continue;
    const names = nameColumns(part.header);
    const rows = tables.getOrInsertComputed(part.source.name, () => []);
    for await (const batch of readRows<readonly string[]>(part, () => undefined, problems)) {
      for (const { value } of batch) {
        const row = Object.fromEntries(names.map((name, index) => [name, value[index] ?? '']));
        if (lookup === undefined || lookup(row)) rows.push(row);
      }
    }
  }
  return tables;
}

/** The records or parties made of a batch of source rows. */
export interface MappedBatch {
  /** Path of the imported file that the rows come from. */
  readonly file: string;
  readonly rows: number;
  /** Rows that were merged into the record of another row. */
  readonly duplicates: number;
  readonly prepared: readonly PreparedRow[];
  /** What the rows add to the totals of a set of parties. */
  readonly tally?: Tally;
}

/** The rows that one of several threads maps: of every `of` blocks, the block with this `index`. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

export const ALL_ROWS: Share = { index: 0, of: 1 };

/** Streams the companies of a part through the register's `map`, one batch per block of rows. */
export function mapRecords(part: Part, tools: MapTools, share: Share): AsyncGenerator<MappedBatch> {
  const file = basename(part.file);
  const tracer = createTracer([part], tools.parts);
  return mapRows<MappedRecord>(part, tools, share, {
    map: part.source.map as RowMap<MappedRecord>,
    bound: boundRecord,
    identify: createRowIdentifier(part, tools.register),
    prepare(mapped, source, place) {
      if (mapped.number === null) tools.problems.noteWithoutNumber(file, place);
      return prepareRecord(tools, mapped, source, place, tracer.traceRow(0, place));
    },
  });
}

/** Streams the rows of a file of parties through the register's mapping. */
export async function* mapParties(part: Part, tools: MapTools, share: Share): AsyncGenerator<MappedBatch> {
  const { register, registers, modes, withholding } = tools;
  const { set, map, split, totals, isPerson } = part.source.parties as NonNullable<Part['source']['parties']>;
  const mode = modes[set] ?? 'off';
  const number = split === undefined ? (mapped: MappedParty) => mapped : createNumbering();
  const isSuppressed = ({ company, name }: MappedParty) => name !== null && withholding.isSuppressed(company, name);
  let tally: Record<string, number> = {};
  const skip = mode === 'names' || isPerson === undefined ? undefined : { reason: A_PERSON, isSkipped: isPerson };
  const batches = mapRows<MappedParty>(part, tools, share, {
    map: map as RowMap<MappedParty>,
    skip,
    split(row) {
      if (totals !== undefined && isRecord(row)) addTally(tally, totals.tally(row) ?? {});
      return split?.(row) ?? [row];
    },
    bound: (mapped) => boundParty(mapped, mode, isSuppressed),
    prepare(mapped, source, place) {
      const { company, kind } = mapped;
      const text = withholding.party({ set, company, kind }, source.layout?.columns ?? null, source);
      const stored = { layout: source.layout, text };
      return prepareParty(`${register.id}/${set}`, number(mapped, source, place), stored, place, registers);
    },
  });
  for await (const batch of batches) {
    yield { ...batch, tally };
    tally = {};
  }
}

export function addTally(sum: Record<string, number>, tally: Tally): void {
  for (const name in tally) sum[name] = (sum[name] ?? 0) + (tally[name] as number);
}

/** A mapping of the register. Which kind of row it takes depends on the part. */
type RowMap<Mapped> = (row: never, context: MapContext<unknown>) => Mapped | Rejection;

interface RowMapper<Mapped> {
  readonly map: RowMap<Mapped>;
  /** Why rows are skipped without being read, and a test of their text for which rows are skipped. */
  readonly skip?: { readonly reason: string; readonly isSkipped: (text: string) => boolean } | undefined;
  /** Makes several rows of one row, or changes the row. */
  readonly split?: (row: never) => readonly unknown[];
  /** Rejects rows that must not be stored, and shortens values that are too long. */
  bound(mapped: Mapped | Rejection, context: MapContext<unknown>): Mapped | Rejection;
  prepare(mapped: Mapped, source: StoredSource, place: number): PreparedRow;
  /** Finds the companies that a rejected row may belong to. */
  identify?(row: unknown): RejectedRow;
}

/** One batch per block of rows of a part. Problems go to `tools.problems`. */
async function* mapRows<Mapped extends object>(
  part: Part,
  { codes, problems, onBytes }: Pick<MapTools, 'codes' | 'problems' | 'onBytes'>,
  share: Share,
  { map, skip, split, bound, prepare, identify }: RowMapper<Mapped>,
): AsyncGenerator<MappedBatch> {
  if (isTable(part)) for (const column of part.header.unknown) problems.noteUnknownColumn(column);
  const file = basename(part.file);
  const layout = isTable(part) ? part.header.layout : null;
  const at = { file, place: 0 };
  const context = createContext(codes, problems, at);
  const opener = isTable(part) ? createTableOpener(part) : createTreeOpener(part, problems);

  /** Null if the row is rejected. */
  function prepareRow(value: unknown, place: number): PreparedRow | null {
    const { fault, row, sourceData } = opener(value);
    const mapped = fault === null ? tryMap(() => map(row as never, context)) : { rejected: fault };
    const bounded = bound(mapped, context);
    if ('rejected' in bounded) {
      const rejection = bounded as Rejection;
      problems.reject(file, place, rejection, rejection.expected ? undefined : identify?.(value));
      return null;
    }
    const source = sourceData();
    return prepare(bounded as Mapped, { layout, value: source, text: JSON.stringify(source) }, place);
  }

  try {
    for await (const batch of takeShare(readRows(part, onBytes, problems), share)) {
      const prepared: PreparedRow[] = [];
      let rows = 0;
      let skipped = 0;
      for (const row of batch) {
        const { place } = row;
        at.place = place;
        if (skip !== undefined && row.text !== undefined && skip.isSkipped(row.text)) {
          skipped++;
          continue;
        }
        // Records of trees are parsed here.
        const { value } = row;
        for (const each of split === undefined ? [value] : split(value as never)) {
          rows++;
          const ready = prepareRow(each, place);
          if (ready !== null) prepared.push(ready);
        }
      }
      if (skip !== undefined && skipped > 0) problems.noteSkipped(skip.reason, skipped);
      yield { file: part.file, rows: rows + skipped, duplicates: 0, prepared };
    }
  } catch (error) {
    throw addFileName(error, file);
  }
}

/** The row of a file that is being mapped. */
interface RowPlace {
  readonly file: string;
  readonly place: number;
}

/** Characters of a value in a report. The report keeps even fewer, and a value can be as long as a row. */
const MAX_REPORTED = 200;

export function createContext(codes: unknown, problems: ProblemSink, at: RowPlace): MapContext<unknown> {
  return {
    codes,
    report: (column, value, problem) =>
      problems.report(at.file, at.place, column, value.slice(0, MAX_REPORTED), problem),
    reportUnknown: (kind, column, value) =>
      problems.reportUnknown(at.file, at.place, kind, column, value.slice(0, MAX_REPORTED)),
  };
}

/** In characters. Ends a block of long rows early, because 500 rows of the maximum length would not fit into memory. */
const MAX_BLOCK_SIZE = 4 * 1024 * 1024;

/** Counts rows, not batches: batch sizes depend on how the file was chunked and may differ between threads. */
async function* takeShare<T>(batches: Batches<T>, { index, of }: Share): Batches<T> {
  let block: SourceRow<T>[] = [];
  let [number, count, size] = [0, 0, 0];
  for await (const batch of batches) {
    for (const row of batch) {
      if (number % of === index) block.push(row);
      count++;
      size += row.size;
      if (count < BATCH && size < MAX_BLOCK_SIZE) continue;
      if (block.length > 0) yield block;
      block = [];
      number++;
      count = 0;
      size = 0;
    }
  }
  if (block.length > 0) yield block;
}

/** A row as the register's mapping takes it. `fault`: why the row cannot be mapped. */
interface OpenedRow {
  readonly fault: string | null;
  readonly row: unknown;
  readonly sourceData: () => unknown;
}

/** Mappings must not throw. If a mapping throws because of an unexpected value, only that row is rejected, not the import. */
export function tryMap<Mapped>(map: () => Mapped | Rejection): Mapped | Rejection {
  try {
    return map();
  } catch (error) {
    return { rejected: `cannot be mapped (${error instanceof Error ? error.message : error})` };
  }
}

function createTableOpener({ header, dialect }: TablePart) {
  const { use, cell, sourceData } = createRowReader(header, dialect === null ? 'sheet' : 'csv');
  return (value: unknown): OpenedRow => ({ fault: use(value as readonly string[]), row: cell, sourceData });
}

/** More keys than a report shows. Records of a tree can have any number of different keys. */
const MAX_UNKNOWN_KEYS = 100;

function createTreeOpener({ source }: TreePart, problems: ProblemSink) {
  const known = new Set(source.keys);
  const most = known.size + MAX_UNKNOWN_KEYS;
  return (value: unknown): OpenedRow => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject) {
      for (const key in value) {
        if (known.has(key) || known.size === most) continue;
        known.add(key);
        problems.noteUnknownColumn(key);
      }
    }
    return { fault: isObject ? null : 'not an object', row: value, sourceData: () => value };
  };
}
