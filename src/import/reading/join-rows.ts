import { basename } from 'node:path';
import type { Cell, Columns, TableSource } from '../../registers/contract.ts';
import type { MappedBatch, MapTools } from '../mapping/map-rows.ts';
import type { ProblemSink } from '../mapping/problems.ts';
import { createRowIdentifier } from '../rejected/rejected-rows.ts';
import { createRowReader, readRows, type TablePart } from './part.ts';
import { Partitions } from './partitions.ts';

/** Between the fields of a line in a partition: numbers and JSON, which contain neither tabs nor line ends. */
const SEPARATOR = '\t';

/** Stands for a missing key. A row with this key is never joined with another row. */
const NO_KEY = '""';

/** Starts a line that is not a row, but has the company to which a branch or an establishment belongs. */
const OWNER = 'owner';

/** Rows between two empty batches, which let the import show progress and notice an abort before the first record. */
const ROWS_PER_SIGN_OF_PROGRESS = 50_000;

/** A row of a joined table as it is stored in a partition. */
export interface StoredRow {
  readonly part: number;
  readonly place: number;
  /** The company that the row belongs to. Null: the row has no key. */
  readonly key: string | null;
  readonly cells: string;
}

/** Stores every row in the partition of its company. Rows of a part of a company wait until the owner of the part is known. */
export async function* partitionRows(
  parts: readonly TablePart[],
  rows: Partitions,
  { problems, onBytes, register }: MapTools,
): AsyncGenerator<MappedBatch> {
  const unresolved = new Partitions();
  try {
    for (const [index, part] of parts.entries()) {
      const { source, header } = part;
      for (const column of header.unknown) problems.noteUnknownColumn(column);
      const file = basename(part.file);
      const identify = createRowIdentifier(part, register);
      const store = createRowStore(part, index, listOwnerColumns(source, parts), rows, unresolved);
      let rejected = 0;
      let unreported = 0;
      for await (const batch of readRows<readonly string[]>(part, onBytes, problems)) {
        for (const { place, value } of batch) {
          const fault = store(value, place);
          if (fault === null) continue;
          if (source.map === undefined) problems.report(file, place, source.name, '', fault);
          else {
            problems.reject(file, place, { rejected: fault }, identify(value));
            rejected++;
          }
        }
        unreported += batch.length;
        if (unreported < ROWS_PER_SIGN_OF_PROGRESS && rejected === 0) continue;
        yield { file: part.file, rows: rejected, duplicates: 0, prepared: [] };
        rejected = 0;
        unreported = 0;
      }
    }
    for (const text of unresolved.read()) resolveOwners(text, parts, rows, problems);
  } finally {
    unresolved.close();
  }
}

/** The columns of a table by which other tables look up the company of a part. */
function listOwnerColumns(source: TableSource<unknown>, parts: readonly TablePart[]): string[] {
  const through = parts.flatMap(({ source: { joins } }) => joins?.through ?? []);
  return [...new Set(through.filter((link) => link.source === source.name).map(({ column }) => column))];
}

/** Returns a function that stores a row, or returns what is wrong with the row. */
function createRowStore(
  { source, header, dialect }: TablePart,
  index: number,
  ownerColumns: readonly string[],
  rows: Partitions,
  unresolved: Partitions,
) {
  const { use, cell, sourceData } = createRowReader(header, dialect === null ? 'sheet' : 'csv');
  const columns = source.joins?.column ?? source.key ?? source.gather?.column ?? [];
  const firstColumn = [columns].flat()[0] ?? '';
  const { keep, through = [] } = source.joins ?? {};
  return (cells: readonly string[], place: number): string | null => {
    const fault = use(cells);
    if (fault !== null || keep?.(cell) === false) return fault;
    const key = writeKey(cell, columns, source.writeKey);
    for (const column of ownerColumns) {
      const number = writeKey(cell, column);
      unresolved.add(number, OWNER + SEPARATOR + number + SEPARATOR + key);
    }
    const isPart = through.some(({ when }) => when.test(cell(firstColumn).trim()));
    (isPart ? unresolved : rows).add(key, writeLine(index, place, key, JSON.stringify(sourceData())));
    return null;
  };
}

/** A single column gives a JSON string, a list gives a JSON array. If any column of a list is empty, the row has no key. */
function writeKey(cell: Cell, columns: Columns, write = (text: string) => text): string {
  if (typeof columns === 'string') return JSON.stringify(write(cell(columns).trim()));
  const values = columns.map((column) => cell(column).trim());
  return values.includes('') ? NO_KEY : JSON.stringify(values);
}

/** Moves the rows of parts of a company, such as establishments, to the company that owns the part. */
function resolveOwners(text: string, parts: readonly TablePart[], rows: Partitions, problems: ProblemSink): void {
  const lines = text.split('\n');
  const owners = new Map<string, string>();
  for (const line of lines) {
    if (!line.startsWith(OWNER)) continue;
    const [, number, owner] = line.split(SEPARATOR) as [string, string, string];
    if (!owners.has(number)) owners.set(number, owner);
  }
  for (const line of lines) {
    if (line === '' || line.startsWith(OWNER)) continue;
    const [part, place, number, cells] = line.split(SEPARATOR) as [string, string, string, string];
    const owner = owners.get(number);
    if (owner === undefined) problems.noteUnmatched(parts[Number(part)]?.source.name ?? '', 1);
    else rows.add(owner, writeLine(part, place, owner, cells));
  }
}

function writeLine(part: number | string, place: number | string, key: string, cells: string): string {
  return part + SEPARATOR + place + SEPARATOR + key + SEPARATOR + cells;
}

/** Reads the rows of a partition. Searches by index instead of `split`: a partition can hold hundreds of thousands of rows. */
export function* parseStoredRows(text: string): Generator<StoredRow> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const place = text.indexOf(SEPARATOR, start) + 1;
    const key = text.indexOf(SEPARATOR, place) + 1;
    const cells = text.indexOf(SEPARATOR, key) + 1;
    const writtenKey = text.slice(key, cells - 1);
    yield {
      part: Number(text.slice(start, place - 1)),
      place: Number(text.slice(place, key - 1)),
      key: writtenKey === NO_KEY ? null : writtenKey,
      cells: text.slice(cells, end),
    };
    start = end + 1;
  }
}
