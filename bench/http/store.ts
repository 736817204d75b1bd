import type { Db, Queries } from '../../src/base/db/db.ts';
import { inventedColumns, publish } from '../search/store.ts';

/** The SQL of `bench http` and `bench scale`: records as an import leaves them, and accounts with keys. */

/** Records the file and the holdings of the invented companies, as an import would. */
export async function recordInvented(db: Db, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(
      `INSERT INTO files (id, generation, register, name, hash, imported_at, synthetic, modes)
        VALUES (1, 1, 'gb', 'invented.csv', $1, $2, 1, '{}') ON CONFLICT (id) DO NOTHING`,
      [`sha256:${'0'.repeat(64)}`, now],
    );
    await tx.run(
      `INSERT INTO holdings (register, entities, listed, generation, imported_at)
        SELECT register, count(*), count(*), 1, CAST($1 AS BIGINT) FROM entities GROUP BY register
        ON CONFLICT (register) DO NOTHING`,
      [now],
    );
    await tx.run(
      `INSERT INTO country_holdings (register, country_code, entities)
        SELECT register, country_code, count(*) FROM entities GROUP BY register, country_code
        ON CONFLICT (register, country_code) DO NOTHING`,
    );
  });
}

const COPIED_COLUMNS = [...inventedColumns, 'file_id', 'content_hash'] as const;

/** Copies the SQLite registry to PostgreSQL, which must be empty. */
export async function copyEntities(from: Queries, to: Db, rows: number, now: number): Promise<void> {
  const batchSize = 2_000;
  const sql = `SELECT ${COPIED_COLUMNS.join(', ')} FROM entities WHERE rowid BETWEEN $1 AND $2`;
  await to.transaction(
    async (tx) => {
      for (let first = 1; first <= rows; first += batchSize) {
        await tx.bulkLoad('entities', COPIED_COLUMNS, await from.rows(sql, [first, first + batchSize - 1]));
      }
      await publish(tx, now);
    },
    { patient: true },
  );
  await to.run('ANALYZE entities');
}

export async function readId(db: Queries, rowId: number): Promise<string | undefined> {
  return (await db.one<{ id: string }>('SELECT id FROM entities WHERE rowid = $1', [rowId]))?.id;
}

export async function countEntities(db: Queries): Promise<number> {
  return (await db.one<{ total: number }>('SELECT count(*) AS total FROM entities'))?.total ?? 0;
}

/** Whether anyone has signed in: then this is not a database for benchmarks. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.hasTable('users')) && (await db.one('SELECT 1 AS found FROM users LIMIT 1')) !== undefined;
}

/** PostgreSQL only. */
export async function dropAccounts(db: Queries): Promise<void> {
  await db.run('DROP SCHEMA IF EXISTS accounts CASCADE');
}

interface NewKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly prefix: string;
  readonly hash: string;
}

/** Adds an account on the largest plan for each key. */
export async function addAccounts(db: Db, keys: readonly NewKey[], now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.bulkLoad(
      'accounts',
      ['id', 'plan', 'created_at'],
      keys.map(({ accountId }) => [accountId, 'business', now]),
    );
    await tx.bulkLoad(
      'api_keys',
      ['id', 'account_id', 'kind', 'name', 'prefix', 'hash', 'created_at', 'can_manage'],
      keys.map(({ accountId, keyId, prefix, hash }) => [keyId, accountId, 'api_key', 'bench', prefix, hash, now, 0]),
    );
  });
}

/** Requests charged to all accounts. */
export async function readCharged(db: Queries): Promise<number> {
  return (await db.one<{ charged: number }>('SELECT coalesce(sum(used), 0) AS charged FROM quotas'))?.charged ?? 0;
}
