import { nameUuid } from '../../core/ids.ts';
import type { Reads } from '../../db/db.ts';
import type { Register } from '../../registers/contract.ts';
import { type Company, findById, findByNumber } from './store.ts';

/** The companies of a register with these numbers, by number. Those that are not in the store are left out. */
export async function findCompanies(
  db: Reads,
  { id: register, country }: Pick<Register, 'id' | 'country'>,
  numbers: readonly string[],
): Promise<Map<string, Company>> {
  const ids = (country: string) => numbers.map((number) => nameUuid(`${country}/${register}/${number}`));
  const rows = country === null ? await findByNumber(db, register, numbers) : await findById(db, ids(country));
  const found = new Map<string, Company>();
  rows.forEach((row) => {
    const number = numbers[row[0]] as string;
    const status = row[4];
    // One that has moved to another country also has a delisted record.
    if (status !== 'delisted' || !found.has(number))
      found.set(number, { id: row[1], number, name: row[2], countryCode: row[3], status });
  });
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
