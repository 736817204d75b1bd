import { setTimeout } from 'node:timers/promises';
import type { QueryResult } from 'pg';

type Run = (text: string) => Promise<QueryResult>;

const MAX_WAIT_MS = 10 * 60_000;

/** Rewrites the tables without deleted rows, so that no file of the database has them any more. */
export async function eraseDead(run: Run, tables: readonly string[]): Promise<void> {
  await waitForOlder(run);
  for (const table of tables) await run(`VACUUM (FULL) ${table}`);
}

/** Waits until transactions that began before this moment have ended: VACUUM keeps the deleted rows that they can see. */
async function waitForOlder(run: Run): Promise<void> {
  const { rows } = await run('SELECT pg_current_xact_id()::xid::text AS now');
  const older = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND age(backend_xmin) > age('${rows[0]?.now}'::xid) LIMIT 1`;
  const end = performance.now() + MAX_WAIT_MS;
  while ((await run(older)).rows.length > 0) {
    if (performance.now() > end)
      throw new Error('a transaction of another program has been open for ten minutes: end it, and start again');
    await setTimeout(100);
  }
}
