import type { Json } from '../../core/source-files.ts';
import { isWithheld } from '../../records/withheld.ts';

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

export type Row = { readonly [column: string]: Json };

export interface PlacedRow {
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
