import { writeList } from '../../db/batches.ts';
import type { Queries, Reads } from '../../db/db.ts';

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

const COMPANY = 'e.id, e.canonical_name, e.country_code, e.status';

/** The place in the list, and the columns of the company. */
type FoundCompany = readonly [given: number, id: string, name: string, countryCode: string, status: string];

async function findIn(db: Reads, values: readonly string[], condition: string): Promise<FoundCompany[]> {
  const sql = `SELECT v.key, ${COMPANY} FROM ${writeList(db.engine)} v CROSS JOIN entities e WHERE ${condition}`;
  return (await db.rows(sql, [JSON.stringify(values)])) as unknown as FoundCompany[];
}

/** Companies of a register that spans countries, by number. */
export function findByNumber(db: Reads, register: string, numbers: readonly string[]): Promise<FoundCompany[]> {
  return findIn(db, numbers, `e.registration_number = v.value AND e.${isOf(register)}`);
}

export function findById(db: Reads, ids: readonly string[]): Promise<FoundCompany[]> {
  return findIn(db, ids, 'e.id = v.value');
}

/** The company whose parties are asked for. Its number is null if the register gave it none. */
export interface Subject extends Omit<Company, 'number'> {
  readonly register: string;
  readonly number: string | null;
}

export async function findSubject(db: Reads, id: string): Promise<Subject | undefined> {
  const [row] = await db.rows(`SELECT ${COMPANY}, e.registration_number, e.register FROM entities e WHERE e.id = $1`, [
    id,
  ]);
  if (row === undefined) return undefined;
  const [, name, countryCode, status, number, register] = row as [
    string,
    string,
    string,
    string,
    string | null,
    string,
  ];
  return { id, number, name, countryCode, status, register };
}
