import type { Reads, Snapshot, Value } from '../../db/db.ts';

/** The SQL of reading all entities. */

export interface Selection {
  /** Codes of countries; undefined for all. */
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly string[];
}

/** `[id, countryCode, register]` of the selected entities by country, in the order of search results. */
export function streamKeys(view: Snapshot, { countries, registers }: Selection): AsyncIterable<Value[][]> {
  const params: Value[] = [];
  const list = (values: readonly string[]) => values.map((value) => `$${params.push(value)}`).join(', ');
  const filters = [`register IN (${list(registers)})`];
  if (countries !== undefined) filters.push(`country_code IN (${list(countries)})`);
  // No index has this order, and rows are wide: only the keys are sorted.
  const sql = `SELECT id, country_code, register FROM entities WHERE ${filters.join(' AND ')}
    ORDER BY country_code COLLATE "binary", name_key COLLATE "binary", canonical_name COLLATE "binary", id COLLATE "binary"`;
  return view.stream(sql, params);
}

export interface CountryHolding {
  readonly country: string;
  readonly register: string;
  /** Delisted ones included. */
  readonly entities: number;
}

export async function readCountryCounts(db: Reads): Promise<CountryHolding[]> {
  return db.all<CountryHolding>(
    'SELECT country_code AS country, register, entities FROM country_holdings WHERE entities > 0 ORDER BY country_code, register',
  );
}
