import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeTerms } from '../../src/accounts/accounts.ts';
import { findUser } from '../../src/accounts/store.ts';
import { listOverdue } from '../../src/billing/expiry/store.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';

/** What the migration that adds ends of plans makes of subscriptions that are over already. */
const DAY = 86_400_000;
const clock = testClock();
const now = clock.now();
const ACCOUNTS = {
  'cancelled, and over for 180 days': { cancels: 1, end: now - 180 * DAY, plan: 'free', isOverdue: true },
  'cancelled, with an hour left': { cancels: 1, end: now + DAY / 24, plan: 'business', isOverdue: false },
  'not renewed for 180 days: asked before it ends': {
    cancels: 0,
    end: now - 180 * DAY,
    plan: 'business',
    isOverdue: true,
  },
  'in its period': { cancels: 0, end: now + 20 * DAY, plan: 'business', isOverdue: false },
} as const;

for (const engine of engines) {
  describe(`migrating plans that are over on ${engine}`, () => {
    test('ends cancelled ones at once and asks about the others', async (t) => {
      const database = await createDatabase(engine, { empty: true });
      const db = openStore('accounts', database);
      t.after(async () => {
        await db.close();
        await database.remove();
      });
      const all = readMigrations('accounts');
      const before = all.findIndex(({ name }) => name.includes('plan_ends'));
      await migrate(db, all.slice(0, before), clock);
      for (const [id, { cancels, end }] of Object.entries(ACCOUNTS)) {
        await db.run(
          "INSERT INTO accounts (id, plan, created_at, period_anchor, period_end) VALUES ($1, 'business', 0, 0, $2)",
          [id, end],
        );
        await db.run("INSERT INTO users (id, issuer, subject, account_id, created_at) VALUES ($1, 'test', $1, $1, 0)", [
          id,
        ]);
        await db.run(
          `INSERT INTO subscriptions (id, account_id, status, plan, period_start, period_end, cancel_at_period_end, as_of,
            event_rank, revision, unsettled) VALUES ($1, $1, 'active', 'business', 0, $2, $3, 1, 1, 1, 0)`,
          [id, end, cancels],
        );
      }
      await migrate(db, all, clock);
      const overdue = (await listOverdue(db, now, 10)).map(({ id }) => id);
      for (const [id, { plan, isOverdue }] of Object.entries(ACCOUNTS)) {
        const user = await findUser(db, 'test', id);
        assert.ok(user);
        assert.equal(describeTerms(user, now).plan.id, plan, id);
        assert.equal(overdue.includes(id), isOverdue, id);
      }
    });
  });
}
