import type { Queries, Transaction } from '../../db/db.ts';
import { writeIsMissing } from '../../journal/store.ts';

/** The SQL about companies of rejected rows. */

export async function createRejected(tx: Queries): Promise<void> {
  await tx.run('CREATE TEMPORARY TABLE rejected (row_number BIGINT, id TEXT)');
}

export async function dropRejected(tx: Queries): Promise<void> {
  await tx.run('DROP TABLE rejected');
}

const REJECTED = { table: 'rejected', columns: { row_number: 'BIGINT', id: 'TEXT' }, rest: '' } as const;

export async function insertRejected(
  tx: Transaction,
  rows: readonly (readonly [row: number, id: string])[],
): Promise<void> {
  await tx.insert(REJECTED, rows);
}

/** An import, by its register and the number of its first file. */
export interface ImportKey {
  readonly register: string;
  readonly firstFile: number;
}

export interface NamedCompany {
  readonly number: string | null;
  readonly name: string;
}

/** Companies that the import did not contain. */
const MISSING = `FROM entities WHERE ${writeIsMissing('$1', '$2')}`;
const OF_ROWS = 'AND EXISTS (SELECT 1 FROM rejected WHERE rejected.id = entities.id)';

/** The numbers of rows with a missing company, from 1 on. */
export async function findResolvedRows(tx: Queries, { register, firstFile }: ImportKey): Promise<number[]> {
  const rows = await tx.all<{ row: number }>(
    `SELECT DISTINCT row_number AS "row" FROM rejected
      WHERE row_number > 0 AND EXISTS (SELECT 1 ${MISSING} AND entities.id = rejected.id)`,
    [register, firstFile],
  );
  return rows.map(({ row }) => row);
}

/** The number of missing companies, and the first of them by number; only those of rejected rows, or all. */
export async function findMissing(
  tx: Queries,
  { register, firstFile }: ImportKey,
  { ofRows, examples }: { readonly ofRows: boolean; readonly examples: number },
): Promise<{ readonly count: number; readonly first: readonly NamedCompany[] }> {
  const missing = ofRows ? `${MISSING} ${OF_ROWS}` : MISSING;
  const key = [register, firstFile];
  const counted = await tx.one<{ count: number }>(`SELECT count(*) AS count ${missing}`, key);
  const first = await tx.all<NamedCompany>(
    `SELECT registration_number AS number, canonical_name AS name ${missing} ORDER BY registration_number, id LIMIT $3`,
    [...key, examples],
  );
  return { count: counted?.count ?? 0, first };
}

/** From now on the companies of rejected rows count as contained in the import. */
export async function keepRejected(tx: Queries, { register, firstFile }: ImportKey): Promise<void> {
  await tx.run(`INSERT INTO seen (id) SELECT id ${MISSING} ${OF_ROWS}`, [register, firstFile]);
}
