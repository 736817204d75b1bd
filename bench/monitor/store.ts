import type { Db } from '../../src/base/db/db.ts';

/** The SQL of `bench monitor`. */

export async function insertAccount(db: Db, id: string): Promise<void> {
  const sql = "INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'business', 0) ON CONFLICT (id) DO NOTHING";
  await db.run(sql, [id]);
}

/** Removes what an earlier run has left in a PostgreSQL. */
export async function emptyMonitors(db: Db): Promise<void> {
  const tables = [
    'webhook_deliveries',
    'webhook_endpoints',
    'monitor_events',
    'monitor_entities',
    'monitors',
    'quotas',
  ];
  for (const table of tables) await db.run(`DELETE FROM ${table}`);
  await db.run('UPDATE monitor_pass SET cursor = NULL, revision = revision + 1');
}

export async function readIds(db: Db): Promise<string[]> {
  return (await db.all<{ id: string }>('SELECT id FROM entities ORDER BY id')).map(({ id }) => id);
}
