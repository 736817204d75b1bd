import { keepBySize, listPlaceholders, padList } from '../../core/pad-list.ts';
import type { Queries, Reads, Value } from '../../db/db.ts';

/** The SQL that finds the companies of parties. */

export async function dropNumberIndex(tx: Queries, register: string): Promise<void> {
  await tx.run(`DROP INDEX IF EXISTS ${nameIndex(register)}`);
}

/**
 * The country is part of an entity's id. A register that spans countries does not say in its files of parties which country a number
 * belongs to, so its entities are found by this index. Only a store with such parties has it. It has the register as a column, too:
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

/** A text and not a parameter, because SQLite uses a partial index only if the statement has its condition. */
function isOf(register: string): string {
  return `register = '${register}'`;
}

/** The company that a party or the subject of parties is. */
export interface Company {
  readonly id: string;
  readonly number: string;
  readonly name: string;
  readonly countryCode: string;
  readonly status: string;
}

const COMPANY = 'id, registration_number, canonical_name, country_code, status';

function toCompany([id, number, name, countryCode, status]: readonly Value[]): Company {
  return { id, number, name, countryCode, status } as Company;
}

/** Companies of a register that spans countries, by number. One that has moved to another country also has a delisted record. */
export async function findByNumber(db: Reads, register: string, numbers: readonly string[], size: number) {
  const sql = `${writeFindCompanies(size)} AND ${isOf(register)}`;
  return (await db.rows(sql, padList(numbers, size))).map(toCompany);
}

const writeFindCompanies = keepBySize(
  (size) => `SELECT ${COMPANY} FROM entities WHERE registration_number IN (${listPlaceholders(size)})`,
);

export async function findById(db: Reads, ids: readonly string[], size: number): Promise<Company[]> {
  const sql = `SELECT ${COMPANY} FROM entities WHERE id IN (${listPlaceholders(size)})`;
  return (await db.rows(sql, padList(ids, size))).map(toCompany);
}

/** The company whose parties are asked for. Its number is null if the register gave it none. */
export interface Subject extends Omit<Company, 'number'> {
  readonly register: string;
  readonly number: string | null;
}

export async function findSubject(db: Reads, id: string): Promise<Subject | undefined> {
  const [row] = await db.rows(`SELECT ${COMPANY}, register FROM entities WHERE id = $1`, [id]);
  return row && { ...toCompany(row), register: row[5] as string };
}
