import type { Json } from '../../base/source-files.ts';
import { isWithheld } from '../../registry/records/withheld.ts';
import { OTHER_ROWS } from '../reading/join-layouts.ts';
import { isTable, type TablePart } from '../reading/part.ts';
import type { Claim, ClaimedPart } from './claim.ts';
import type { ReadPart } from './read-again.ts';

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
  /** The first of them. */
  readonly differences: readonly Difference[];
  /** The columns, with their tables, whose values are not stored. They are neither equal nor different. */
  readonly withheld: readonly string[];
}

/** More would not help anybody, and each may be as long as a cell. */
const MAX_DIFFERENCES = 200;

type Row = { readonly [column: string]: Json };

interface PlacedRow {
  readonly place: number;
  readonly row: Row;
}

type Place = Pick<Difference, 'table' | 'row'>;

/** Counts what agrees and collects what differs. */
export class Comparer implements Comparison {
  agree = 0;
  differ = 0;
  readonly differences: Difference[] = [];
  readonly withheld: string[] = [];

  /** Compares nested values leaf by leaf. */
  compareValues(stored: Json, original: Json, place: Place, path = ''): void {
    if (isWithheld(stored) && !isEmpty(original)) this.#addWithheld([place.table, path].filter(Boolean).join(': '));
    else if (isNested(stored) && isNested(original) && Array.isArray(stored) === Array.isArray(original)) {
      const names = new Set([...Object.keys(stored), ...Object.keys(original)]);
      // Both empty: an empty list or object is a value, too.
      if (names.size === 0) this.agree++;
      for (const name of names)
        this.#compareMember(stored, original, name, place, path === '' ? name : `${path}/${name}`);
    } else if (!isNested(stored) && stored === original) this.agree++;
    else this.#add({ ...place, column: path === '' ? null : path, stored, original });
  }

  #compareMember(stored: object, original: object, name: string, place: Place, path: string): void {
    const [isStored, isOriginal] = [Object.hasOwn(stored, name), Object.hasOwn(original, name)];
    const storedValue = (stored as Record<string, Json>)[name] as Json;
    const originalValue = (original as Record<string, Json>)[name] as Json;
    if (isStored && isOriginal) this.compareValues(storedValue, originalValue, place, path);
    else if (isStored) this.#add({ ...place, column: path, stored: storedValue });
    else this.#add({ ...place, column: path, original: originalValue });
  }

  /**
   * Compares the rows of a table. Their order does not matter: a record lists the rows of parts of a company, such as
   * branches, after its own. Equal rows belong together, and of the others the first ones, the second ones and so on.
   */
  compareRows(stored: readonly Row[], original: readonly PlacedRow[], table: string): void {
    const equal = new Map<string, Row[]>();
    for (const row of stored) {
      equal.getOrInsert(writeRow(row), []).push(row);
    }
    const unequal: PlacedRow[] = [];
    for (const placed of original) {
      if (equal.get(writeRow(placed.row))?.pop() === undefined) unequal.push(placed);
      else this.agree += Object.keys(placed.row).length;
    }
    const left = new Set([...equal.values()].flat());
    const others = stored.filter((row) => left.has(row));
    for (let index = 0; index < Math.max(others.length, unequal.length); index++) {
      this.compareRow(others[index], unequal[index], table);
    }
  }

  /** Either side may lack the row. */
  compareRow(stored: Row | undefined, original: PlacedRow | undefined, table: string | null): void {
    const place = { table, row: original?.place ?? null };
    if (stored !== undefined && original !== undefined) this.compareValues(stored, original.row, place);
    else if (stored !== undefined) this.#add({ ...place, column: null, stored });
    else if (original !== undefined) this.#add({ ...place, column: null, original: original.row });
  }

  #addWithheld(column: string): void {
    if (!this.withheld.includes(column)) this.withheld.push(column);
  }

  #add(difference: Difference): void {
    this.differ++;
    if (this.differences.length < MAX_DIFFERENCES) this.differences.push(difference);
  }
}

function isEmpty(value: Json): boolean {
  return value === null || value === '';
}

function isNested(value: Json | undefined): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function writeRow(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Compares `sourceData` of a record with the rows of the files, cell by cell. Tables of files that were not read are left out. */
export function compareSource(claim: Claim, read: readonly ReadPart[]): Comparison {
  const comparer = new Comparer();
  const unread = claim.parts.filter(({ number }) => !read.some(({ claimed }) => claimed.number === number));
  const main = read.find(({ claimed }) => claimed === claim.parts[0]);
  const stored = splitTables(claim.sourceData, main === undefined || isTable(main.part));
  if (main !== undefined) {
    const table = stored.isNamed ? main.claimed.table : null;
    comparer.compareRow(stored.main, findMainRow(main, claim.row), table);
  }
  const originals = listTables(claim, read);
  for (const table of new Set([...stored.lists.keys(), ...originals.keys()])) {
    if (unread.some((part) => nameList(part.table, part.content) === table)) continue;
    comparer.compareRows(stored.lists.get(table) ?? [], originals.get(table) ?? [], table);
  }
  return comparer;
}

interface StoredTables {
  readonly main: Row;
  readonly isNamed: boolean;
  readonly lists: ReadonlyMap<string, readonly Row[]>;
}

/** Cells of tables are texts: a list in `sourceData` has the rows of a table, and an object is the row of the main table. */
function splitTables(sourceData: Json, areTables: boolean): StoredTables {
  const none = new Map<string, readonly Row[]>();
  if (!areTables) return { main: sourceData as Row, isNamed: false, lists: none };
  const entries = Object.entries(sourceData as Row);
  const named = entries.find(([, value]) => typeof value === 'object' && value !== null && !Array.isArray(value));
  const lists = entries.filter(([, value]) => Array.isArray(value)) as [string, readonly Row[]][];
  const cells = entries.filter(([, value]) => typeof value === 'string');
  const main = named === undefined ? Object.fromEntries(cells) : (named[1] as Row);
  return { main, isNamed: named !== undefined, lists: new Map(lists) };
}

/** The lists of rows that the record should have, by their keys in `sourceData`. */
function listTables(claim: Claim, read: readonly ReadPart[]): Map<string, PlacedRow[]> {
  const lists = new Map<string, PlacedRow[]>();
  for (const { claimed, part, rows } of read) {
    if (claimed.content === 'codes' || !isTable(part)) continue;
    const name = nameList(claimed.table, claimed.content);
    for (const { place, value } of rows) {
      if (claimed === claim.parts[0] && place === claim.row) continue;
      lists.getOrInsert(name, []).push({ place, row: nameCells(part, value as readonly string[]) });
    }
  }
  return lists;
}

function nameList(table: string, content: ClaimedPart['content']): string {
  return content === 'records' ? OTHER_ROWS : table;
}

function findMainRow({ part, rows }: ReadPart, place: number): PlacedRow | undefined {
  const found = rows.find((row) => row.place === place);
  if (found === undefined) return undefined;
  if (isTable(part)) return { place, row: nameCells(part, found.value as readonly string[]) };
  // As it is stored: a number that JSON cannot write is null.
  return { place, row: JSON.parse(JSON.stringify(found.value)) };
}

/** The cells by the names of their columns. A sheet omits trailing empty cells. */
function nameCells({ header: { texts }, dialect }: TablePart, cells: readonly string[]): Row {
  const length = dialect === null ? Math.max(texts.length, cells.length) : cells.length;
  const named = Array.from({ length }, (_, index) => [texts[index] ?? `column ${index + 1}`, cells[index] ?? '']);
  return Object.fromEntries(named);
}
