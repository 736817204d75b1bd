import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { type Applier, createApplier } from '../../src/billing/apply.ts';
import { parseEvent, type Subscription } from '../../src/billing/events.ts';
import type { Provider } from '../../src/billing/provider.ts';
import { holdCustomer, insertEvent } from '../../src/billing/store.ts';
import { createSync, createWebhook, type ReceiveEvent, type Sync } from '../../src/billing/webhook.ts';
import { testClock } from '../harness/clock.ts';
import { engines, useStore } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { PRICES, renderEvent, renderSubscription, sign, WEBHOOK_SECRET } from '../harness/payment-events.ts';
import { crashingDb } from './crashing-db.ts';
import { type Delivery, type History, hasTie, histories, planOfPrice, type Story, tell } from './history.ts';

/**
 * What the webhook guarantees: events lead to the entitlement at the end of the provider's history, in whatever order
 * they arrive, repeated or concurrent, and even if the process crashes at any point of a delivery.
 */
const RUNS = runs(40, 300);
/** All histories of the deep run take minutes. */
const LONG = { timeout: 600_000 };
const clock = testClock('2026-01-01T00:00:00.000Z');

interface Machine {
  readonly receive: ReceiveEvent;
  readonly applier: Applier;
  readonly sync: Sync;
}

function openMachine(db: Db, ask: (id: string) => Promise<Subscription | undefined>): Machine {
  const log = { info: () => undefined, warn: () => undefined };
  const settings = () => ({
    secretKey: undefined,
    webhookSecrets: [WEBHOOK_SECRET],
    prices: { pro: [PRICES.pro], business: [PRICES.business] },
    apiUrl: undefined,
  });
  const applier = createApplier({ db, clock, planOfPrice, ask, onChange: () => undefined });
  const provider = { isConfigured: () => true, findSubscription: ask } as Provider;
  return {
    applier,
    receive: createWebhook({ db, clock, log, settings, planOfPrice, applier }),
    sync: createSync({ db, clock, log, provider, planOfPrice, applier }),
  };
}

/** How the events arrive: their order, repetitions and concurrency, and what the provider can answer meanwhile. */
interface Course {
  readonly order: readonly number[];
  readonly repeat: readonly number[];
  /** Sizes of the groups that arrive together. */
  readonly groups: readonly number[];
  /** Turns of the event loop before each delivery of a group, and before each answer of the provider. */
  readonly delays: readonly number[];
  /** It knows the complete history, or only what has been delivered so far, or fails every other time. */
  readonly provider: 'complete' | 'in step' | 'sometimes down';
}

const courses: fc.Arbitrary<Course> = fc.record({
  order: fc.array(fc.nat(), { minLength: 32, maxLength: 32 }),
  repeat: fc.array(fc.nat(), { maxLength: 4 }),
  groups: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
  delays: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }),
  provider: fc.constantFrom('complete', 'in step', 'sometimes down'),
});

function arrange(deliveries: readonly Delivery[], { order, repeat, groups: sizes }: Course): Delivery[][] {
  const all = [...deliveries, ...repeat.map((index) => deliveries[index % deliveries.length] as Delivery)];
  const shuffled = all
    .map((delivery, index) => ({ delivery, key: order[index % order.length] ?? 0, index }))
    .sort((a, b) => a.key - b.key || a.index - b.index)
    .map(({ delivery }) => delivery);
  const groups: Delivery[][] = [];
  for (let at = 0; at < shuffled.length; at += groups.at(-1)?.length ?? 1) {
    groups.push(shuffled.slice(at, at + (sizes[groups.length % sizes.length] ?? 1)));
  }
  return groups;
}

function modelProvider(story: Story, lives: number, { provider, delays }: Course) {
  const delivered = new Array<number>(lives).fill(0);
  let isReliable = false;
  let questions = 0;
  return {
    note({ life, step }: Delivery) {
      if (life !== undefined) delivered[life] = Math.max(delivered[life] ?? 0, step);
    },
    recover() {
      isReliable = true;
    },
    countQuestions: () => questions,
    async ask(id: string): Promise<Subscription | undefined> {
      questions++;
      if (provider === 'sometimes down' && !isReliable && questions % 2 === 1) return undefined;
      const life = delivered.findIndex((_step, index) => story.subscriptionId(index) === id);
      const isInStep = provider === 'in step' && !isReliable;
      const state = story.stateAt(life, isInStep ? (delivered[life] ?? 0) : story.lastStep(life));
      // More events may arrive before the answer does.
      await pass(delays[questions % delays.length]);
      return state;
    },
  };
}

async function pass(turns = 0): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

describeOn(engines, 'the order of events', (engine) => {
  const { db } = useStore(engine, 'accounts');

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

  test('the result does not depend on order, repetition or concurrency', LONG, async () => {
    const property = fc.asyncProperty(histories(3), courses, async (history, course) => {
      const { accountId, story, provider } = await begin(history, course);
      const { receive, sync } = openMachine(db, provider.ask);
      let applied = 0;
      for (const group of arrange(story.deliveries, course)) {
        const receipts = await Promise.all(
          group.map(async (delivery, index) => {
            await pass(course.delays[index % course.delays.length]);
            provider.note(delivery);
            return deliver(receive, delivery);
          }),
        );
        applied += receipts.filter(({ duplicate }) => !duplicate).length;
      }
      assert.equal(applied, story.deliveries.length, 'each event is applied once');
      provider.recover();
      await sync.recover();
      await check(accountId, story);
      // Rank settles events of different kinds in the same second; asking would cost a call and may fail.
      if (!hasTie(history)) assert.equal(provider.countQuestions(), 0, 'the provider was asked without a tie');
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  test('a crash at any point of a delivery loses nothing', LONG, async () => {
    const crashes = fc.array(fc.integer({ min: 0, max: 24 }), { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(histories(2), courses, crashes, async (history, course, points) => {
      const { accountId, story, provider } = await begin(history, course);
      let rest = arrange(story.deliveries, course).flat();
      for (const statements of points) {
        // The process dies at some statement; the provider delivers the event again later.
        const dying = crashingDb(db, statements);
        const { receive } = openMachine(dying, provider.ask);
        const lost: Delivery[] = [];
        for (const delivery of rest.splice(0, Math.ceil(rest.length / 2))) {
          provider.note(delivery);
          await deliver(receive, delivery).catch(() => lost.push(delivery));
        }
        rest = [...rest, ...lost];
      }
      const { receive, sync } = openMachine(db, provider.ask);
      for (const delivery of rest) {
        provider.note(delivery);
        await deliver(receive, delivery);
      }
      provider.recover();
      await sync.recover();
      await check(accountId, story);
    });
    await fc.assert(property, { numRuns: RUNS });
    const open = await db.one<{ count: number }>('SELECT count(*) AS count FROM billing_events WHERE outcome IS NULL');
    assert.equal(open?.count, 0, 'every stored event has been applied');
  });

  /** Stores an event without applying it, as a server that ends then. */
  async function storeEvent(text: string, now: number): Promise<void> {
    await insertEvent(db, parseEvent(text, planOfPrice), text, now);
  }

  test('recovery applies events stored 30 seconds ago, and one that fails does not block the others', async () => {
    const later = testClock();
    const applier = createApplier({ db, clock, planOfPrice, ask: async () => undefined, onChange: () => undefined });
    const accounts = [randomUUID(), randomUUID()];
    for (const [index, accountId] of accounts.entries()) {
      await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', 0)", [accountId]);
      const object = renderSubscription({ id: `sub_${accountId}`, accountId });
      const id = `evt_${index}_${accountId}`;
      const created = Math.floor(later.now() / 1_000);
      await storeEvent(renderEvent({ id, type: 'customer.subscription.created', created, object }), later.now());
    }
    const sync = createSync({
      db,
      clock: later,
      log: { info: () => undefined, warn: () => undefined },
      provider: { isConfigured: () => false } as Provider,
      planOfPrice,
      applier: {
        ...applier,
        applyEvent: async (event) =>
          event.id.startsWith('evt_0_') ? Promise.reject(new Error('lock timeout')) : applier.applyEvent(event),
      },
    });
    const readPlans = () =>
      Promise.all(accounts.map(async (id) => (await db.one('SELECT plan FROM accounts WHERE id = $1', [id]))?.plan));
    later.advance(30_000);
    await sync.recover();
    assert.deepEqual(await readPlans(), ['free', 'free'], 'the webhook may still be applying them');
    later.advance(1);
    await sync.recover();
    assert.deepEqual(await readPlans(), ['free', 'pro']);
  });
});
