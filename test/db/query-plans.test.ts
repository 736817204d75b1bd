import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { deleteDeadSessions, deleteExcessSessions, deleteExpiredKeys } from '../../src/accounts/store.ts';
import type { Db, Queries, Value } from '../../src/base/db/db.ts';
import { listUnapplied, listUnsettled, reduceEvents } from '../../src/billing/store.ts';
import { listChanges, listChangesAt, listEnds, listEntityChanges, listEntries } from '../../src/watch/feed/store.ts';
import { engines, useStore } from '../harness/databases.ts';
import { publishChanges } from '../journal/journal.ts';
import { explain, record } from './plans.ts';

const FILTER = { country: 'GB', register: null, type: null };

interface Case {
  readonly name: string;
  readonly run: (db: Queries) => Promise<unknown>;
  /** What the plan of each statement names. */
  readonly indexes: readonly (string | readonly RegExp[])[];
}

/** Statements that run at every sign-in or every 30 seconds. */
const OF_ACCOUNTS: readonly Case[] = [
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

/** Statements of every request for changes. */
const OF_CHANGES: readonly Case[] = [
  { name: 'the ends of the journal', run: listEnds, indexes: [[/journal_pkey|autoindex_journal/]] },
  {
    name: 'the next imports',
    run: (db) => listEntries(db, 5, FILTER, 10),
    indexes: [[/journal_pkey|autoindex_journal/]],
  },
  {
    name: 'changes of an import',
    run: (db) => listChanges(db, { generation: 5, batch: 5 }, { first: 10, end: 100 }, FILTER, 10),
    indexes: [
      [
        /journal_pkey|journal_batch|autoindex_journal/,
        /changes_pkey|autoindex_changes_1 \(batch=\? AND position>\? AND position<\?\)/,
      ],
    ],
  },
  {
    name: 'changes at some positions',
    run: (db) => listChangesAt(db, 5, [10, 40]),
    indexes: [[/changes_pkey|autoindex_changes_1 \(batch=\? AND position=\?\)/]],
  },
  {
    name: 'changes of an entity',
    run: (db) => listEntityChanges(db, 'entity 7', { generation: 1_000, seen: 1 }, 10),
    indexes: [[/changes_entity/, /journal_batch/, /files_pkey|autoindex_files/]],
  },
];

const ROWS = Array.from({ length: 2_000 }, (_, index) => index);

const stores = [
  { store: 'accounts', cases: OF_ACCOUNTS, fill },
  { store: 'registry', cases: OF_CHANGES, fill: publishMany },
] as const;

for (const engine of engines) {
  for (const { store, cases, fill } of stores) {
    describe(`frequent statements of the ${store} store use an index on ${engine}`, () => {
      const { db } = useStore(engine, store);
      before(async () => {
        await fill(db);
        // A server never analyzes SQLite files; PostgreSQL does it by itself.
        if (engine === 'postgres') await db.run('ANALYZE');
      });

      for (const { name, run, indexes } of cases) {
        test(name, async () => {
          const statements = await record(run);
          assert.equal(statements.length, indexes.length);
          for (const [at, statement] of statements.entries()) {
            const plan = await explain(db, statement);
            for (const index of [indexes[at] ?? []].flat()) assert.match(plan, new RegExp(index));
            assert.doesNotMatch(plan, engine === 'sqlite' ? /^SCAN (?!found)/m : /Seq Scan/);
          }
        });
      }
    });
  }
}

async function publishMany(db: Db): Promise<void> {
  for (let number = 1; number <= 300; number++) {
    const changes = Array.from({ length: number % 50 }, (_, at) => {
      return { type: 'added', country: 'GB', register: 'gb', entityId: `entity ${number * at}` } as const;
    });
    await publishChanges(db, { register: 'gb', publishedAt: number, changes });
  }
}

async function fill(db: Db): Promise<void> {
  await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ('account', 'free', 0)");
  const load = (table: string, toRow: (n: number) => Record<string, Value>, rows = ROWS) => {
    const made = rows.map(toRow);
    return db.bulkLoad(table, Object.keys(made[0] ?? {}), made.map(Object.values));
  };
  await load('accounts', (n) => ({ id: `account ${n}`, plan: 'pro', created_at: n }));
  const users = ROWS.slice(0, 200);
  await load(
    'users',
    (n) => ({ id: `user ${n}`, issuer: 'test', subject: `${n}`, account_id: 'account', created_at: n }),
    users,
  );
  await load('sessions', (n) => {
    return { token_hash: `token ${n}`, user_id: `user ${n % 200}`, created_at: n, last_seen_at: n, expires_at: n };
  });
  await load('billing_events', (n) => {
    const outcome = n % 500 ? 'applied' : null;
    return { id: `evt_${n}`, kind: 'test', created: n, received_at: n, payload: '{}', outcome };
  });
  await load('subscriptions', (n) => {
    const position = { as_of: n, event_rank: 0, revision: 0, unsettled: n % 500 ? 0 : 1 };
    return { id: `sub_${n}`, status: 'active', cancel_at_period_end: 0, ...position };
  });
  await load('idempotency_keys', (n) => ({ id: `key ${n}`, resource_id: '', expires_at: n }));
}
