import { nameUuid } from '../../core/ids.ts';
import { chooseLookupSize, MAX_LOOKUP_SIZE } from '../../core/pad-list.ts';
import type { Reads } from '../../db/db.ts';
import type { Register } from '../../registers/contract.ts';
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
    const ids = new Map(country === null ? [] : part.map((number) => [idOf(country, register, number), number]));
    const companies =
      country === null ? await findByNumber(db, register, part, size) : await findById(db, [...ids.keys()], size);
    for (const company of companies) {
      const number = country === null ? company.number : (ids.get(company.id) as string);
      if (company.status !== 'delisted' || !found.has(number)) found.set(number, company);
    }
  }
  return found;
}

/**
 * The number that the id of a company follows from, and by which parties refer to it. BR: the first registration has the number of the
 * head office, and the company is its first part.
 */
export function findOwnNumber(
  { keyLength }: Pick<Register, 'keyLength'>,
  { number }: { readonly number: string | null },
): string | null {
  return number === null ? null : number.slice(0, keyLength);
}

function idOf(country: string, register: string, number: string): string {
  return nameUuid(`${country}/${register}/${number}`);
}

/** Parts that fit into the list of one statement. */
export function* splitList<T>(values: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += MAX_LOOKUP_SIZE) yield values.slice(at, at + MAX_LOOKUP_SIZE);
}
