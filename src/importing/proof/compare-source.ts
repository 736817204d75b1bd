import type { Json } from '../../core/source-files.ts';
import { OTHER_ROWS } from '../reading/join-layouts.ts';
import { isTable, type TablePart } from '../reading/part.ts';
import type { Claim, ClaimedPart } from './claim.ts';
import { Comparer, type Comparison, type PlacedRow, type Row } from './compare.ts';
import type { ReadPart } from './read-again.ts';

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
