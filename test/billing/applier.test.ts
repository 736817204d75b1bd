import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type AskProvider, createApplier } from '../../src/billing/apply.ts';
import { readEvent } from '../../src/billing/events.ts';
import type { Provider } from '../../src/billing/provider.ts';
import { insertEvent, listRivals, listUnsettled } from '../../src/billing/store.ts';
import { readSubscription, type Subscription } from '../../src/billing/subscription.ts';
import { createSync } from '../../src/billing/sync.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { PRICES, renderEvent, renderSubscription } from '../harness/payment-events.ts';
import { until } from '../harness/until.ts';
import { planOfPrice } from './history.ts';

/** Single cases of what `order.test.ts` checks for any history: which of two states wins, and when events are recovered. */
const clock = testClock();

const openApplier = (db: Db, ask: AskProvider) => createApplier({ db, clock, ask, onChange: () => undefined });

for (const engine of engines) {
  describe(`applying events on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('accounts', database);
      await migrate(db, readMigrations('accounts'), clock);
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    async function createAccount() {
      const id = randomUUID();
      await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)", [id, clock.now()]);
      return id;
    }
    const planOf = async (id: string) => (await db.one('SELECT plan FROM accounts WHERE id = $1', [id]))?.plan;
    async function storeEvent(text: string, now: number) {
      const event = readEvent(text, planOfPrice);
      await insertEvent(db, event, text, now);
      return event;
    }

    describe('an answer of the provider', () => {
      const SECOND = Math.floor(clock.now() / 1_000);
      const pro = { price: PRICES.pro };
      const business = { price: PRICES.business };
      const late = { price: PRICES.pro, status: 'past_due' };

      async function subscribe() {
        const accountId = await createAccount();
        const answers = [1, 2, 3].map(() => Promise.withResolvers<Subscription | null | undefined>());
        let questions = 0;
        const applier = openApplier(db, async () => answers[questions++]?.promise);
        const render = (fields: object) => renderSubscription({ id: `sub_${accountId}`, accountId, ...fields });
        return {
          answers,
          countQuestions: () => questions,
          id: `sub_${accountId}`,
          listUnsettledIds: async () => (await listUnsettled(db, 1_000)).map(({ id }) => id),
          async send(fields: object, created = SECOND) {
            const object = render(fields);
            const text = renderEvent({ type: 'customer.subscription.updated', created, object });
            return applier.applyEvent(await storeEvent(text, clock.now()));
          },
          read: (fields: object) => readSubscription(render(fields), planOfPrice) ?? assert.fail(),
          async settle() {
            for (const known of await listUnsettled(db, 1_000)) {
              const rivals = (await listRivals(db, known)).map(({ payload }) => readEvent(payload, planOfPrice));
              if (known.id === `sub_${accountId}`) await applier.settle(known, rivals);
            }
          },
          plan: () => planOf(accountId),
        };
      }

      test('is not used if another event has changed the subscription since the question', async () => {
        const { answers, countQuestions, send, read, plan } = await subscribe();
        await send(pro);
        const overtaken = send(business);
        await until('the provider is asked', () => countQuestions() === 1);
        answers[1]?.resolve(read(late));
        await send(late);
        answers[2]?.resolve(read(late));
        answers[0]?.resolve(read(business));
        await overtaken;
        assert.deepEqual([await plan(), countQuestions()], ['pro', 3]);
      });

      test('that neither event reported leaves the question open until it is asked again: the event that arrived last counts', async () => {
        for (const answer of [{ price: 'price_of_another_product' }, { price: PRICES.pro, status: 'canceled' }, null]) {
          const { answers, send, read, plan, settle, listUnsettledIds, id } = await subscribe();
          await send(pro);
          for (const each of answers) each.resolve(answer && read(answer));
          assert.equal((await send(business)).outcome, 'applied');
          assert.equal(await plan(), 'business');
          assert.ok((await listUnsettledIds()).includes(id));
          await settle();
          assert.equal(await plan(), 'business');
          assert.ok(!(await listUnsettledIds()).includes(id), 'the provider would be asked again and again');
          // An event of the next second is not stale.
          assert.equal((await send(pro, SECOND + 1)).outcome, 'applied');
          assert.equal(await plan(), 'pro');
        }
      });

      test('brings an event back that has lost against another one', async () => {
        const { answers, send, read, plan, settle } = await subscribe();
        await send(pro);
        answers[0]?.resolve(undefined);
        await send(business);
        answers[1]?.resolve(read(pro));
        await send(late);
        answers[2]?.resolve(read(pro));
        await settle();
        assert.equal(await plan(), 'pro');
      });

      test('that cannot be had leaves the question open', async () => {
        const { answers, send, settle, listUnsettledIds, id } = await subscribe();
        await send(pro);
        for (const each of answers) each.resolve(undefined);
        await send(business);
        await settle();
        assert.ok((await listUnsettledIds()).includes(id));
      });
    });

    test('recovery applies events stored 30 seconds ago, and one that fails does not block the others', async () => {
      const later = testClock();
      const applier = openApplier(db, async () => undefined);
      const accounts = [await createAccount(), await createAccount()];
      for (const [index, accountId] of accounts.entries()) {
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
      const readPlans = () => Promise.all(accounts.map(planOf));
      later.advance(30_000);
      await sync.recover();
      assert.deepEqual(await readPlans(), ['free', 'free'], 'the webhook may still be applying them');
      later.advance(1);
      await sync.recover();
      assert.deepEqual(await readPlans(), ['free', 'pro']);
    });
  });
}
