import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deleteDeadSessions, deleteExcessSessions } from '../../src/accounts/store.ts';
import { listUnapplied, listUnsettled, reduceEvents } from '../../src/billing/store.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Db, Queries, Value } from '../../src/db/db.ts';
import { deleteExpiredKeys } from '../../src/db/idempotency.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { explain, record } from '../harness/plans.ts';

/** Statements that run at every sign-in or every 30 seconds, and the index that each statement must use. */
const STATEMENTS: readonly { name: string; run: (db: Queries) => Promise<unknown>; indexes: readonly string[] }[] = [
  {
    name: 'deleting dead sessions',
    run: (db) => deleteDeadSessions(db, 5, 5, 10),
    indexes: ['sessions_expires_at', 'sessions_last_seen_at'],
  },
  {
    name: 'deleting excess sessions of a user',
    run: (db) => deleteExcessSessions(db, { userId: 'user 7', tokenHash: 'token 7' }, 19, 10),
    indexes: ['sessions_user'],
  },
  {
    name: 'listing unapplied events',
    run: (db) => listUnapplied(db, 1_000, 10),
    indexes: ['billing_events_unapplied'],
  },
  { name: 'reducing old events', run: (db) => reduceEvents(db, 100, 10, 5_000), indexes: ['billing_events_reducible'] },
  {
    name: 'deleting idempotency keys that have expired',
    run: (db) => deleteExpiredKeys(db, 100, 10),
    indexes: ['idempotency_keys_expires_at'],
  },
  { name: 'listing ties', run: (db) => listUnsettled(db, 10), indexes: ['subscriptions_unsettled'] },
];

const ROWS = Array.from({ length: 2_000 }, (_, index) => index);

for (const engine of engines) {
  describe(`frequent statements use an index on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('accounts', database);
      await migrate(db, readMigrations('accounts'), systemClock);
      await fill(db);
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    for (const { name, run, indexes } of STATEMENTS) {
      test(name, async () => {
        const statements = await record(run);
        assert.equal(statements.length, indexes.length);
        for (const [at, statement] of statements.entries()) {
          const plan = await explain(db, statement);
          assert.match(plan, new RegExp(`\\b${indexes[at]}\\b`));
          assert.doesNotMatch(plan, engine === 'sqlite' ? /^SCAN /m : /Seq Scan/);
        }
      });
    }
  });
}

async function fill(db: Db): Promise<void> {
  await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ('account', 'free', 0)");
  const load = (table: string, rows: Record<string, Value>[]) =>
    db.bulkLoad(
      table,
      Object.keys(rows[0] ?? {}),
      rows.map((row) => Object.values(row)),
    );
  await load(
    'accounts',
    ROWS.map((n) => ({ id: `account ${n}`, plan: 'pro', created_at: n })),
  );
  await load(
    'users',
    ROWS.slice(0, 200).map((n) => {
      return { id: `user ${n}`, issuer: 'test', subject: `${n}`, account_id: 'account', created_at: n };
    }),
  );
  await load(
    'sessions',
    ROWS.map((n) => {
      return { token_hash: `token ${n}`, user_id: `user ${n % 200}`, created_at: n, last_seen_at: n, expires_at: n };
    }),
  );
  await load(
    'billing_events',
    ROWS.map((n) => {
      return {
        id: `evt_${n}`,
        kind: 'test',
        created: n,
        received_at: n,
        payload: '{}',
        outcome: n % 500 ? 'applied' : null,
      };
    }),
  );
  await load(
    'subscriptions',
    ROWS.map((n) => {
      const position = { as_of: n, event_rank: 0, revision: 0, unsettled: n % 500 ? 0 : 1 };
      return { id: `sub_${n}`, status: 'active', cancel_at_period_end: 0, ...position };
    }),
  );
  await load(
    'idempotency_keys',
    ROWS.map((n) => ({ id: `key ${n}`, resource_id: '', expires_at: n })),
  );
  // A server never analyzes SQLite files; PostgreSQL does it by itself.
  if (db.engine === 'postgres') await db.run('ANALYZE');
}
