import { setTimeout } from 'node:timers/promises';
import type { QueryResult } from 'pg';

type Run = (text: string) => Promise<QueryResult>;

const MAX_WAIT_MS = 10 * 60_000;

/** Rewrites the tables and the planner's statistics without deleted rows, so that no file of the database has them any more. */
export async function eraseDead(run: Run, tables: readonly string[]): Promise<void> {
  await waitForOlder(run);
  for (const table of tables) {
    await run(`VACUUM (FULL, ANALYZE) ${table}`);
    await forgetIfEmpty(run, table);
  }
  await waitForOlder(run);
  await run('VACUUM (FULL) pg_catalog.pg_statistic');
}

/** ANALYZE keeps the statistics of a table that has become empty. Setting the type of a column, even to the same, deletes them. */
async function forgetIfEmpty(run: Run, table: string): Promise<void> {
  const { rows } = await run(
    `SELECT string_agg(format('ALTER COLUMN %I TYPE text', attname), ', ') AS columns FROM pg_attribute
      WHERE attrelid = '${table}'::regclass AND atttypid = 'text'::regtype AND attcollation = '"default"'::regcollation
        AND NOT EXISTS (SELECT 1 FROM ${table})`,
  );
  if (rows[0]?.columns) await run(`ALTER TABLE ${table} ${rows[0].columns}`);
}

/**
 * Waits until no transaction is older than this moment, because VACUUM keeps the deleted rows that an older one can see. Those of other
 * databases count, too: a query of this database that begins beside one of them sees as far back as it does.
 */
async function waitForOlder(run: Run): Promise<void> {
  const now = (await run('SELECT pg_current_xact_id()::text AS now')).rows[0]?.now;
  const isOlder = (xmin: string) => `age(${xmin}) > age('${now}'::xid8::xid)`;
  const older = `SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) <= '${now}'::xid8
    UNION ALL SELECT 1 FROM pg_replication_slots WHERE ${isOlder('xmin')}
    UNION ALL SELECT 1 FROM pg_stat_activity WHERE ${isOlder('backend_xmin')} AND pid <> pg_backend_pid()
      AND coalesce(datname, current_database()) = current_database() LIMIT 1`;
  const end = performance.now() + MAX_WAIT_MS;
  while ((await run(older)).rows.length > 0) {
    if (performance.now() > end)
      throw new Error(
        'a transaction of this PostgreSQL server, of any database, has been open for ten minutes: ' +
          'find it in pg_stat_activity, pg_prepared_xacts or pg_replication_slots, end it, and start again',
      );
    await setTimeout(100);
  }
}
