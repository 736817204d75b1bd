import { basename } from 'node:path';
import { type SourceName, sourceNames, summaryFields } from '../../base/entity-summary.ts';
import { parseSetModes } from '../../base/party-modes.ts';
import type { Json } from '../../base/source-files.ts';
import { addFileName, type Batches, FormatError, type SourceRow } from '../../formats/rows.ts';
import type { Register } from '../../registers/contract.ts';
import { parseContent } from '../../registry/records/record-content.ts';
import type { RowRange } from '../../registry/records/records.ts';
import { contentColumns } from '../../registry/records/store.ts';
import { isWithheld } from '../../registry/records/withheld.ts';
import { buildCodes, mapJob, planJobs } from '../jobs.ts';
import { loadCodeTables } from '../mapping/map-rows.ts';
import { createPrepareTools, type PreparedRow, type PrepareTools } from '../mapping/prepare.ts';
import { Problems } from '../mapping/problems.ts';
import { OTHER_ROWS } from '../reading/join.ts';
import { describePart, isTable, type Part, readRows, type TablePart } from '../reading/part.ts';
import { recognizeFile } from '../reading/recognize.ts';
import type { Claim, ClaimedPart } from './claim.ts';

/** A part of a kept file, with the rows that a record claims. */
export interface ReadPart {
  readonly claimed: ClaimedPart;
  readonly part: Part;
  /** The claimed rows that the file has, in file order. For a code table, all rows. */
  readonly rows: readonly SourceRow<unknown>[];
}

interface ReadOptions {
  readonly register: Register;
  /** Called with the number of bytes of a part that were read so far, and its size. */
  readonly onBytes: (count: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** The maximum in characters: twice what an import accepts for one company. A damaged store must not fill the memory. */
const MAX_LENGTH = 128 * 1024 * 1024;

/** Reads the claimed rows of one file again. Throws a FormatError if this version of the program does not find them. */
export async function readAgain(
  path: string,
  claimed: readonly ClaimedPart[],
  { register, onBytes, signal }: ReadOptions,
): Promise<ReadPart[]> {
  const { parts, close } = await recognizeFile(path, register);
  try {
    const read: ReadPart[] = [];
    for (const claim of claimed) {
      const part = findPart(parts, claim);
      const batches = readRows(part, (count) => onBytes(count, part.size));
      const ranges = claim.content === 'codes' ? ALL_ROWS : claim.rows;
      read.push({ claimed: claim, part, rows: await collectRows(batches, ranges, signal) });
    }
    return read;
  } catch (error) {
    throw addFileName(error, basename(path));
  } finally {
    await close();
  }
}

const ALL_ROWS: readonly RowRange[] = [{ first: 1, last: Number.MAX_SAFE_INTEGER }];

function findPart(parts: readonly Part[], { table, entry }: ClaimedPart): Part {
  const found = parts.find((part) => part.source.name === table && describePart(part).entry === entry);
  if (found !== undefined) return found;
  const where = entry === null ? '' : `the entry or sheet "${entry}" with `;
  throw new FormatError(`this version of the program does not find ${where}the table "${table}" in it`);
}

/** Stops after the last range: the rest of the file is not read. */
async function collectRows(
  batches: Batches<unknown>,
  ranges: readonly RowRange[],
  signal: AbortSignal,
): Promise<SourceRow<unknown>[]> {
  const rows: SourceRow<unknown>[] = [];
  let next = 0;
  let length = 0;
  for await (const batch of batches) {
    signal.throwIfAborted();
    for (const row of batch) {
      while ((ranges[next]?.last ?? Number.POSITIVE_INFINITY) < row.place) next++;
      const range = ranges[next];
      if (range === undefined) return rows;
      if (row.place < range.first) continue;
      rows.push(row);
      length += row.size;
      if (length > MAX_LENGTH) throw new FormatError('the rows of the record are too long to be read again');
    }
  }
  return rows;
}

/**
 * Maps the rows of a record again, by the same functions as an import, and compares the normalized fields. Fields differ
 * if the record was changed in the store, or if another version of the program imported it. Throws a FormatError if the
 * rows are not a record.
 */
export async function compareFields(
  claim: Claim,
  read: readonly ReadPart[],
  register: Register,
  registers: readonly Register[],
): Promise<Comparison> {
  const tools = createPrepareTools(register, registers, parseSetModes(claim.file?.modes), claim.suppressed);
  const records = await mapAgain(read, tools);
  const record = records.find(({ id }) => id === claim.id) ?? (records[0] as PreparedRow);
  const { status, ...others } = fieldsOf(record);
  const original = { id: record.id, ...others, ...(!claim.isDelisted && { status: status as Json }) };
  const comparer = new Comparer();
  comparer.compareValues({ id: claim.id, ...claim.fields }, original, { table: null, row: null });
  return comparer;
}

/** The parts are in the order of the import: the order may decide which of several rows is the main row. */
async function mapAgain(read: readonly ReadPart[], common: PrepareTools): Promise<PreparedRow[]> {
  const parts = read.toSorted((one, other) => one.claimed.number - other.claimed.number).map(replayPart);
  const problems = new Problems();
  const { register } = common;
  const tools = {
    ...common,
    parts: parts.map(describePart),
    codes: buildCodes(register, await loadCodeTables(parts, problems)),
    problems,
    onBytes: () => undefined,
  };
  const records: PreparedRow[] = [];
  for (const job of planJobs(parts, register)) {
    for await (const { prepared } of mapJob(job, tools)) records.push(...prepared);
  }
  if (records.length > 0) return records;
  const [skipped] = problems.skipped.keys();
  throw new FormatError(problems.first[0]?.problem ?? skipped ?? 'the rows are not a record');
}

function replayPart({ part, rows }: ReadPart): Part {
  async function* replay() {
    yield rows;
  }
  return { ...part, read: replay as () => Batches<never> };
}

function fieldsOf({ content }: PreparedRow): Record<string, Json> {
  const values = parseContent(content);
  const textOf = (column: (typeof contentColumns)[number]) => values[contentColumns.indexOf(column)] as string | null;
  const summary = sourceNames.map((name: SourceName) => [name, textOf(summaryFields[name].column)]);
  return {
    ...Object.fromEntries(summary),
    registrations: JSON.parse(textOf('registrations') ?? 'null'),
    registry: JSON.parse(textOf('registry') ?? 'null'),
  };
}

/** A value that differs. A side that lacks the value has no key. */
export interface Difference {
  /** The table, for records that are made of several rows; else null. */
  readonly table: string | null;
  /** The row in the original; null if the original has no such row. */
  readonly row: number | null;
  /** The column, or the path in a nested record such as `addresses/0/city`. Null: the whole row. */
  readonly column: string | null;
  readonly stored?: Json;
  readonly original?: Json;
}

export interface Comparison {
  /** How many values are the same on both sides. */
  readonly agree: number;
  readonly differ: number;
  /** The first differences. */
  readonly differences: readonly Difference[];
  /** The columns, with their tables, whose values are not stored. Such values are neither equal nor different. */
  readonly withheld: readonly string[];
}

/** More differences would not help a reader, and a difference may be as long as a cell. */
const MAX_DIFFERENCES = 200;

type Row = { readonly [column: string]: Json };

interface PlacedRow {
  readonly place: number;
  readonly row: Row;
}

type Place = Pick<Difference, 'table' | 'row'>;

/** Counts what agrees and collects what differs. */
class Comparer implements Comparison {
  agree = 0;
  differ = 0;
  readonly differences: Difference[] = [];
  readonly withheld: string[] = [];

  /** Compares nested values leaf by leaf. Either side may lack the value. */
  compareValues(stored: Json | undefined, original: Json | undefined, place: Place, path = ''): void {
    const column = path === '' ? null : path;
    if (isWithheld(stored) && !isEmpty(original)) this.#addWithheld([place.table, path].filter(Boolean).join(': '));
    else if (isNested(stored) && isNested(original) && Array.isArray(stored) === Array.isArray(original)) {
      const names = new Set([...Object.keys(stored), ...Object.keys(original)]);
      // If both are empty, they agree: an empty list or object is a value, too.
      if (names.size === 0) this.agree++;
      for (const name of names) {
        const inner = path === '' ? name : `${path}/${name}`;
        this.compareValues(findMember(stored, name), findMember(original, name), place, inner);
      }
    } else if (!isNested(stored) && stored === original) this.agree++;
    else {
      this.differ++;
      const sides = { ...(stored !== undefined && { stored }), ...(original !== undefined && { original }) };
      if (this.differences.length < MAX_DIFFERENCES) this.differences.push({ ...place, column, ...sides });
    }
  }

  /**
   * Compares the rows of a table. Their order does not matter: a record lists the rows of parts of a company, such as
   * branches, after its own rows. Equal rows are paired; the remaining rows of both sides are paired in their order.
   */
  compareRows(stored: readonly Row[], original: readonly PlacedRow[], table: string | null): void {
    const left = new Set(stored);
    const equal = new Map<string, Row[]>();
    for (const row of stored) equal.getOrInsert(writeRow(row), []).push(row);
    const unequal: PlacedRow[] = [];
    for (const placed of original) {
      const same = equal.get(writeRow(placed.row))?.pop();
      if (same === undefined) unequal.push(placed);
      else {
        this.compareValues(same, placed.row, { table, row: placed.place });
        left.delete(same);
      }
    }
    const others = [...left];
    for (let index = 0; index < Math.max(others.length, unequal.length); index++) {
      const placed = unequal[index];
      this.compareValues(others[index], placed?.row, { table, row: placed?.place ?? null });
    }
  }

  #addWithheld(column: string): void {
    if (!this.withheld.includes(column)) this.withheld.push(column);
  }
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function findMember(value: object, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? (value as Record<string, Json>)[name] : undefined;
}

function isNested(value: Json | undefined): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function writeRow(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Rows by the keys of their tables in `sourceData`. The key of a row that is `sourceData` itself is null. */
type Tables<T> = Map<string | null, T[]>;

/** Compares `sourceData` of a record with the rows of the files, cell by cell. Tables of files that were not read are left out. */
export function compareSource(claim: Claim, read: readonly ReadPart[]): Comparison {
  const comparer = new Comparer();
  const main = read.find(({ claimed }) => claimed === claim.parts[0]);
  const stored = listStored(claim.sourceData, main === undefined || isTable(main.part));
  const mainTable = claim.parts[0]?.table ?? '';
  const mainKey = stored.has(mainTable) ? mainTable : null;
  const originals = listOriginals(claim, read, mainKey);
  const unread = claim.parts.filter((part) => !read.some(({ claimed }) => claimed === part));
  const unreadKeys = new Set<string | null>(unread.map(nameList));
  if (main === undefined) unreadKeys.add(mainKey);
  for (const key of new Set([...stored.keys(), ...originals.keys()]).difference(unreadKeys)) {
    comparer.compareRows(stored.get(key) ?? [], originals.get(key) ?? [], key);
  }
  return comparer;
}

/** Cells of tables are texts: a list in `sourceData` has the rows of a table, and an object is the row of the main table. */
function listStored(sourceData: Json, areTables: boolean): Tables<Row> {
  if (!areTables) return new Map([[null, [sourceData as Row]]]);
  const entries = Object.entries(sourceData as Row);
  const cells = entries.filter(([, value]) => !isNested(value));
  const tables: Tables<Row> = new Map(cells.length === 0 ? [] : [[null, [Object.fromEntries(cells)]]]);
  for (const [name, value] of entries) if (isNested(value)) tables.set(name, [value].flat() as Row[]);
  return tables;
}

/** The rows that the record should have. */
function listOriginals(claim: Claim, read: readonly ReadPart[], mainKey: string | null): Tables<PlacedRow> {
  const tables: Tables<PlacedRow> = new Map();
  for (const { claimed, part, rows } of read) {
    if (claimed.content === 'codes') continue;
    for (const { place, value } of rows) {
      const isMain = claimed === claim.parts[0] && place === claim.row;
      // The record of a tree is written and parsed as for the store: a number that JSON cannot write becomes null.
      const row = isTable(part) ? nameCells(part, value as readonly string[]) : JSON.parse(JSON.stringify(value));
      tables.getOrInsert(isMain ? mainKey : nameList(claimed), []).push({ place, row });
    }
  }
  return tables;
}

function nameList({ table, content }: ClaimedPart): string {
  return content === 'records' ? OTHER_ROWS : table;
}

/** The cells by the names of their columns. A sheet omits trailing empty cells. */
function nameCells({ header: { texts }, dialect }: TablePart, cells: readonly string[]): Row {
  const length = dialect === null ? Math.max(texts.length, cells.length) : cells.length;
  const named = Array.from({ length }, (_, index) => [texts[index] ?? `column ${index + 1}`, cells[index] ?? '']);
  return Object.fromEntries(named);
}
