import { nameUuid } from '../core/ids.ts';
import { chooseLookupSize, MAX_LOOKUP_SIZE } from '../core/pad-list.ts';
import type { Reads } from '../db/db.ts';
import type { Register } from '../registers/contract.ts';
import { type Company, findById, findByNumber } from './store.ts';

/** The companies of a register with these numbers, by number. Those that are not in the store are left out. */
export async function findCompanies(
  db: Reads,
  { id: register, country }: Pick<Register, 'id' | 'country'>,
  numbers: readonly string[],
): Promise<Map<string, Company>> {
  const found = new Map<string, Company>();
  for (const part of splitList(numbers)) {
    const size = chooseLookupSize(part.length);
    const companies =
      country === null
        ? await findByNumber(db, register, part, size)
        : await findById(
            db,
            part.map((number) => nameUuid(`${country}/${register}/${number}`)),
            size,
          );
    for (const company of companies) {
      if (company.status !== 'delisted' || !found.has(company.number)) found.set(company.number, company);
    }
  }
  return found;
}

/** Parts that fit into the list of one statement. */
export function* splitList<T>(values: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += MAX_LOOKUP_SIZE) yield values.slice(at, at + MAX_LOOKUP_SIZE);
}
