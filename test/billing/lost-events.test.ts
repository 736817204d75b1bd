import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { describeTerms } from '../../src/accounts/accounts.ts';
import type { StoredTerms } from '../../src/accounts/store.ts';
import { createApplier } from '../../src/billing/apply.ts';
import { readEvent } from '../../src/billing/events.ts';
import { createExpiry } from '../../src/billing/expiry/expiry.ts';
import { insertEvent } from '../../src/billing/store.ts';
import { readSubscription } from '../../src/billing/subscription.ts';
import { addMonths } from '../../src/core/period.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { renderEvent, renderSubscription } from '../harness/payment-events.ts';
import { planOfPrice } from './history.ts';

/**
 * Any sequence of renewals, cancellations, lost and late events, outages and passing time: an unpaid plan ends at the latest
 * a week after the grace, and an account that pays has its plan as soon as the provider has been asked.
 */
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const GRACE_MS = 3 * DAY;
const UNCONFIRMED_MS = 7 * DAY;

type Fate = 'delivered' | 'lost' | 'late';
type Action =
  | { readonly type: 'cancel' | 'uncancel' | 'cancel now'; readonly fate: Fate }
  | { readonly type: 'wait'; readonly hours: number; readonly fate: Fate }
  | { readonly type: 'background' | 'outage' | 'deliver late events' };

const fate = fc.constantFrom<Fate>('delivered', 'lost', 'lost', 'late');
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('cancel', 'uncancel', 'cancel now'), fate }) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('wait'),
        hours: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(3 * 24, 7 * 24, 10 * 24, 31 * 24, 60 * 24)),
        fate,
      }),
    },
    { weight: 3, arbitrary: fc.constant({ type: 'background' }) },
    { weight: 1, arbitrary: fc.constantFrom({ type: 'outage' }, { type: 'deliver late events' }) },
  ) as fc.Arbitrary<Action>,
  { minLength: 1, maxLength: 16 },
);
/** Also periods that start on the 31st and on 29 February, and just before midnight. */
const starts = fc.constantFrom('2028-01-31T23:59:59.000Z', '2028-02-29T00:00:00.000Z', '2026-03-15T12:00:00.000Z');

/** The provider: the truth about one subscription. It renews at the end of each period, unless it was cancelled. */
function createModel(id: string, accountId: string, start: number) {
  let [index, isLive, cancels] = [0, true, false];
  const periodStart = () => addMonths(start, index);
  const periodEnd = () => addMonths(start, index + 1);
  let endedAt = Number.POSITIVE_INFINITY;
  const render = () =>
    renderSubscription({
      id,
      accountId,
      status: isLive ? 'active' : 'canceled',
      period: [periodStart() / 1_000, periodEnd() / 1_000],
      cancelAtPeriodEnd: cancels,
    });
  const end = (now: number) => {
    isLive = false;
    endedAt = now;
  };
  return {
    render,
    isLive: () => isLive,
    /** From this instant on, the account must be on the free plan. */
    latestEnd: () => Math.max(periodEnd() + GRACE_MS, endedAt) + UNCONFIRMED_MS,
    setCancels(value: boolean) {
      cancels = value;
    },
    end,
    nextChangeAt: () => (isLive ? periodEnd() : Number.POSITIVE_INFINITY),
    /** The end of a period: the next one starts, or the subscription ends. */
    passEnd() {
      if (cancels) end(periodEnd());
      else index++;
    },
  };
}

for (const engine of engines) {
  describe(`a plan after lost events on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('accounts', database);
      await migrate(db, readMigrations('accounts'), testClock());
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    test('ends a week after the grace at the latest, and comes back if it is paid', { timeout: 600_000 }, () =>
      fc.assert(
        fc.asyncProperty(actions, starts, async (sequence, start) => {
          const clock = testClock(start);
          const [accountId, id] = [randomUUID(), `sub_${randomUUID()}`];
          await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)", [accountId, clock.now()]);
          // Subscriptions of earlier runs must not be asked about.
          await db.run('UPDATE subscriptions SET check_at = NULL');
          const model = createModel(id, accountId, clock.now());
          let isDown = false;
          const readSecond = () => Math.floor(clock.now() / 1_000);
          const provider = {
            isConfigured: () => true,
            async readSubscription() {
              const subscription = readSubscription(model.render(), planOfPrice);
              if (isDown || subscription === undefined) throw new Error('the provider is down');
              return { subscription, asOf: readSecond() };
            },
          };
          const log = { info: () => undefined, warn: () => undefined };
          const parts = { db, clock, graceMs: GRACE_MS };
          const ask = () => provider.readSubscription().catch(() => undefined);
          const applier = createApplier({ ...parts, ask, onChange: () => undefined });
          const expiry = createExpiry({ ...parts, log, provider, applier });

          const late: string[] = [];
          async function deliver(text: string): Promise<void> {
            const event = readEvent(text, planOfPrice);
            await insertEvent(db, event, text, clock.now());
            await applier.applyEvent(event);
          }
          async function emit(kind: string, outcome: Fate): Promise<void> {
            const type = `customer.subscription.${kind}`;
            const text = renderEvent({ type, created: readSecond(), object: model.render() });
            if (outcome === 'delivered') await deliver(text);
            else if (outcome === 'late') late.push(text);
          }
          async function runBackgroundWork(): Promise<void> {
            await expiry.checkOverdue();
            await expiry.endPlans();
          }
          async function readPlan(): Promise<string> {
            const sql = `SELECT id AS "accountId", plan AS "planId", period_anchor AS "periodAnchor",
              period_end AS "periodEnd", plan_ends_at AS "planEndsAt" FROM accounts WHERE id = $1`;
            const stored = await db.one<StoredTerms>(sql, [accountId]);
            assert.ok(stored);
            return describeTerms(stored, clock.now()).plan.id;
          }
          async function check(): Promise<void> {
            if (clock.now() < model.latestEnd()) return;
            assert.equal(await readPlan(), 'free', `at ${new Date(clock.now()).toISOString()}`);
          }
          /** Everything that becomes due on the way happens at its own time. */
          async function wait(milliseconds: number, outcome: Fate): Promise<void> {
            const until = clock.now() + milliseconds;
            while (model.nextChangeAt() <= until) {
              clock.set(new Date(model.nextChangeAt()).toISOString());
              model.passEnd();
              await emit(model.isLive() ? 'updated' : 'deleted', outcome);
            }
            clock.set(new Date(until).toISOString());
          }

          await emit('created', 'delivered');
          assert.equal(await readPlan(), 'pro');
          for (const action of sequence) {
            await wait(1_000, 'lost');
            switch (action.type) {
              case 'wait':
                await wait(action.hours * HOUR, action.fate);
                break;
              case 'background':
                await runBackgroundWork();
                break;
              case 'outage':
                isDown = !isDown;
                break;
              case 'deliver late events':
                for (const text of late.splice(0)) await deliver(text);
                break;
              default:
                if (!model.isLive()) break;
                if (action.type === 'cancel now') model.end(clock.now());
                else model.setCancels(action.type === 'cancel');
                await emit(model.isLive() ? 'updated' : 'deleted', action.fate);
            }
            await check();
          }
          isDown = false;
          await wait(70 * DAY, 'lost');
          await runBackgroundWork();
          assert.equal(await readPlan(), model.isLive() ? 'pro' : 'free', 'the provider has been asked');
        }),
        { numRuns: runs(40, 1_000) },
      ),
    );
  });
}
