import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Applier, createApplier } from '../../src/billing/apply.ts';
import type { Provider } from '../../src/billing/provider.ts';
import { holdCustomer } from '../../src/billing/store.ts';
import type { Reading } from '../../src/billing/subscription.ts';
import { createSync, type Sync } from '../../src/billing/sync.ts';
import { createWebhook, type ReceiveEvent } from '../../src/billing/webhook.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { PRICES, sign, WEBHOOK_SECRET } from '../harness/payment-events.ts';
import { crashingDb } from './crashing-db.ts';
import { type Delivery, type History, histories, planOfPrice, type Story, tell } from './history.ts';

/**
 * The promise of the webhook: any order, any repetition, any concurrency of the same events, and a crash at any point of
 * any delivery, end in the entitlement that the provider's own history ends in.
 */
const RUNS = Number(process.env.BILLING_RUNS ?? 2_000);
/** Thousands of histories take a minute on a quiet machine, and longer on one that has other work. */
const LONG = { timeout: 600_000 };
const clock = testClock();

interface Machine {
  readonly receive: ReceiveEvent;
  readonly applier: Applier;
  readonly sync: Sync;
}

function openMachine(db: Db, ask: (id: string) => Promise<Reading | undefined>): Machine {
  const log = { info: () => undefined, warn: () => undefined };
  const settings = () => ({
    secretKey: undefined,
    webhookSecrets: [WEBHOOK_SECRET],
    prices: { pro: [PRICES.pro], business: [PRICES.business] },
    apiUrl: undefined,
  });
  const applier = createApplier({ db, clock, ask, onChange: () => undefined });
  const provider = { isConfigured: () => true, readSubscription: ask } as Provider;
  return {
    applier,
    receive: createWebhook({ db, clock, log, settings, planOfPrice, applier }),
    sync: createSync({ db, clock, log, provider, planOfPrice, applier }),
  };
}

/** How a story reaches us: in which order, what twice, how much at once, and what the provider can say meanwhile. */
interface Course {
  readonly order: readonly number[];
  readonly repeat: readonly number[];
  readonly atOnce: readonly number[];
  /** Turns of the event loop before each of those that come together, and before each answer of the provider. */
  readonly delays: readonly number[];
  readonly provider: 'finished' | 'abreast' | 'sometimes down';
}

const courses: fc.Arbitrary<Course> = fc.record({
  order: fc.array(fc.nat(), { minLength: 32, maxLength: 32 }),
  repeat: fc.array(fc.nat(), { maxLength: 4 }),
  atOnce: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
  delays: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }),
  provider: fc.constantFrom('finished', 'abreast', 'sometimes down'),
});

function arrange(deliveries: readonly Delivery[], { order, repeat, atOnce }: Course): Delivery[][] {
  const all = [...deliveries, ...repeat.map((index) => deliveries[index % deliveries.length] as Delivery)];
  const shuffled = all
    .map((delivery, index) => ({ delivery, key: order[index % order.length] ?? 0, index }))
    .sort((a, b) => a.key - b.key || a.index - b.index)
    .map(({ delivery }) => delivery);
  const groups: Delivery[][] = [];
  for (let at = 0; at < shuffled.length; at += groups.at(-1)?.length ?? 1) {
    groups.push(shuffled.slice(at, at + (atOnce[groups.length % atOnce.length] ?? 1)));
  }
  return groups;
}

/** The provider while a story is told: it knows everything, or just what has been delivered so far, or is away at times. */
function modelProvider(story: Story, lives: number, { provider, delays }: Course) {
  const told = new Array<number>(lives).fill(0);
  let isBack = false;
  let questions = 0;
  return {
    hear({ life, step }: Delivery) {
      if (life !== undefined) told[life] = Math.max(told[life] ?? 0, step);
    },
    comeBack() {
      isBack = true;
    },
    async ask(id: string): Promise<Reading | undefined> {
      questions++;
      if (provider === 'sometimes down' && !isBack && questions % 2 === 1) return undefined;
      const life = told.findIndex((_step, index) => story.subscriptionId(index) === id);
      const isAbreast = provider === 'abreast' && !isBack;
      const reading = story.readingAt(life, isAbreast ? (told[life] ?? 0) : story.lastStep(life));
      // On its way to us it grows old.
      await pass(delays[questions % delays.length]);
      return reading;
    },
  };
}

async function pass(turns = 0): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

for (const engine of engines) {
  describe(`the order of events on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('accounts', { dataDir: database.dataDir, databaseUrl: database.databaseUrl });
      await migrate(db, readMigrations('accounts'), clock);
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    async function begin(history: History, course: Course) {
      const accountId = randomUUID();
      await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)", [accountId, clock.now()]);
      const story = tell(history, accountId);
      if (history.link === 'stored') {
        for (const id of story.customerIds) await holdCustomer(db, id, accountId, clock.now());
      }
      const provider = modelProvider(story, history.lives.length, course);
      return { accountId, story, provider };
    }

    async function check(accountId: string, { expected }: Story): Promise<void> {
      const sql = 'SELECT plan, period_anchor AS "periodStart", period_end AS "periodEnd" FROM accounts WHERE id = $1';
      assert.deepEqual({ ...(await db.one(sql, [accountId])) }, expected);
    }

    const deliver = (receive: ReceiveEvent, { text }: Delivery) => receive(Buffer.from(text), sign(text, clock.now()));

    for (const [title, most] of [
      ['one subscription', 1],
      ['several subscriptions', 3],
    ] as const) {
      test(`${title}: every order, repetition and concurrency ends alike`, LONG, async () => {
        const property = fc.asyncProperty(histories(most), courses, async (history, course) => {
          const { accountId, story, provider } = await begin(history, course);
          const { receive, sync } = openMachine(db, provider.ask);
          let applied = 0;
          for (const group of arrange(story.deliveries, course)) {
            const receipts = await Promise.all(
              group.map(async (delivery, index) => {
                await pass(course.delays[index % course.delays.length]);
                provider.hear(delivery);
                return deliver(receive, delivery);
              }),
            );
            applied += receipts.filter(({ duplicate }) => !duplicate).length;
          }
          assert.equal(applied, story.deliveries.length, 'each event is applied once');
          provider.comeBack();
          await sync.recover();
          await check(accountId, story);
        });
        await fc.assert(property, { numRuns: RUNS });
      });
    }

    test('a crash at any point of any delivery loses nothing', LONG, async () => {
      const crashes = fc.array(fc.integer({ min: 0, max: 24 }), { minLength: 1, maxLength: 6 });
      const property = fc.asyncProperty(histories(2), courses, crashes, async (history, course, points) => {
        const { accountId, story, provider } = await begin(history, course);
        let rest = arrange(story.deliveries, course).flat();
        for (const statements of points) {
          // A process that dies at some statement: what it was doing is delivered again, later, by the provider.
          const dying = crashingDb(db, statements);
          const { receive } = openMachine(dying, provider.ask);
          const lost: Delivery[] = [];
          for (const delivery of rest.splice(0, Math.ceil(rest.length / 2))) {
            provider.hear(delivery);
            await deliver(receive, delivery).catch(() => lost.push(delivery));
          }
          rest = [...rest, ...lost];
        }
        const { receive, sync } = openMachine(db, provider.ask);
        for (const delivery of rest) {
          provider.hear(delivery);
          await deliver(receive, delivery);
        }
        provider.comeBack();
        await sync.recover();
        await check(accountId, story);
      });
      await fc.assert(property, { numRuns: RUNS });
      const open = await db.one<{ count: number }>(
        'SELECT count(*) AS count FROM billing_events WHERE outcome IS NULL',
      );
      assert.equal(open?.count, 0, 'every stored event has been applied');
    });
  });
}
