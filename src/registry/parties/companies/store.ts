import type { Queries, Reads } from '../../../base/db/db.ts';
import { writeList } from '../../../base/db/lists.ts';
import { nameUuid } from '../../../base/ids.ts';
import type { Register } from '../../../registers/contract.ts';

export async function dropNumberIndex(tx: Queries, register: string): Promise<void> {
  await tx.run(`DROP INDEX IF EXISTS ${nameIndex(register)}`);
}

/**
 * The country is part of an entity's id. The files of parties of a register that spans countries do not show which country a number
 * belongs to, so its entities are found by this index. Only a store with such parties has the index. The register is a column of the index:
 * otherwise SQLite prefers the index on the register alone, and reads all entities of the register.
 */
export async function indexNumbers(tx: Queries, register: string): Promise<void> {
  await tx.run(
    `CREATE INDEX IF NOT EXISTS ${nameIndex(register)} ON entities (registration_number, register) WHERE ${isOf(register)}`,
  );
}

function nameIndex(register: string): string {
  return `entities_number_${register}`;
}

/** The register is text and not a parameter, because SQLite uses a partial index only if the statement has the condition of the index. */
function isOf(register: string): string {
  return `register = '${register}'`;
}

export type Company = Readonly<Record<'id' | 'number' | 'name' | 'countryCode' | 'status', string>>;

/** `given` is the place in the list; the other values are columns of the company. */
type FoundCompany = readonly [given: number, id: string, name: string, countryCode: string, status: string];

/** The company whose parties are requested. The number is null if the register gave the company no number. */
export interface Subject extends Omit<Company, 'number'> {
  readonly register: string;
  readonly number: string | null;
}

export function findSubject(db: Reads, id: string): Promise<Subject | undefined> {
  return db.one<Subject>(
    `SELECT id, canonical_name AS name, country_code AS "countryCode", status, registration_number AS number, register
      FROM entities WHERE id = $1`,
    [id],
  );
}

/** The companies of a register with these numbers, by number. Numbers that are not in the store are left out. */
export async function findCompanies(
  db: Reads,
  { id: register, country }: Pick<Register, 'id' | 'country'>,
  numbers: readonly string[],
): Promise<Map<string, Company>> {
  const spans = country === null;
  const keys = spans ? numbers : numbers.map((number) => nameUuid(`${country}/${register}/${number}`));
  const sql = `SELECT v.key, e.id, e.canonical_name, e.country_code, e.status FROM ${writeList(db.engine)} v
    CROSS JOIN entities e WHERE ${spans ? `e.registration_number = v.value AND e.${isOf(register)}` : 'e.id = v.value'}`;
  const rows = (await db.rows(sql, [JSON.stringify(keys)])) as unknown as FoundCompany[];
  const found = new Map<string, Company>();
  rows.forEach((row) => {
    const number = numbers[row[0]] as string;
    const status = row[4];
    // A company that has moved to another country also has a delisted record.
    if (status !== 'delisted' || !found.has(number))
      found.set(number, { id: row[1], number, name: row[2], countryCode: row[3], status });
  });
  return found;
}

export type FindCompany = (register: string | null, number: string | null) => Company | undefined;

/** Looks up companies of several registers. Companies of registers that are not in the map are left out. */
export async function loadCompanies(
  db: Reads,
  registers: ReadonlyMap<string, Pick<Register, 'id' | 'country'>>,
  wanted: readonly { readonly register: string | null; readonly number: string | null }[],
): Promise<FindCompany> {
  const found = new Map<string, Map<string, Company>>();
  for (const [id, list] of Map.groupBy(wanted, ({ register }) => register)) {
    const register = registers.get(id ?? '');
    const numbers = new Set(list.flatMap(({ number }) => number ?? []));
    if (register !== undefined) found.set(register.id, await findCompanies(db, register, [...numbers]));
  }
  return (register, number) => found.get(register ?? '')?.get(number ?? '');
}

/** The number that the id of a company follows from, and by which parties refer to it. BR: the first part of the head office's number. */
export function findOwnNumber(
  { keyLength }: Pick<Register, 'keyLength'>,
  { number }: { readonly number: string | null },
): string | null {
  return number === null ? null : number.slice(0, keyLength);
}
