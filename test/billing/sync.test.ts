import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RecordedChange } from '../../src/billing/changes.ts';
import type { ApplyResult, Difference } from '../../src/billing/sync.ts';
import { engines } from '../harness/databases.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import type { TestSession } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';

const OPERATOR = 'anna@desk';
const seconds = (ms: number) => Math.floor(ms / 1_000);

for (const engine of engines) {
  describe(`recovery and sync on ${engine}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(engine);
    });
    after(() => shop[Symbol.asyncDispose]());

    const planOf = async (session: TestSession) => (await shop.account(session)).plan.id;
    async function subscribe(plan: 'pro' | 'business' = 'pro') {
      const session = await shop.service.signIn({ plan: 'free' });
      await shop.buy(session, plan);
      const { stripe } = shop.sandbox;
      const { data } = await stripe.subscriptions.list({ limit: 100 });
      const subscription = data.find(({ metadata }) => metadata.accountId === session.account.accountId);
      assert.ok(subscription);
      return { session, accountId: session.account.accountId, subscription };
    }
    /** Sends an event about a subscription of the sandbox, signed like one of the provider. */
    async function send(type: string, created: number, object: object) {
      const body = renderEvent({ type, created, object });
      const signature = sign(body, shop.clock.now(), shop.sandbox.settings().webhookSecret);
      return shop.service.services.billing.receive(Buffer.from(body), signature);
    }
    /** Reports the differences, as `billing sync` does. */
    async function compare(): Promise<Difference[]> {
      const differences: Difference[] = [];
      for await (const each of shop.service.services.billing.compareAll()) differences.push(each);
      return differences;
    }
    /** Reports the differences and applies them, as `billing sync --apply` does. */
    async function sync() {
      const applied: (Difference & { result: ApplyResult })[] = [];
      for (const difference of await compare()) {
        const result = await shop.service.services.billing.applyDifference(difference, OPERATOR);
        applied.push({ ...difference, result });
      }
      return applied;
    }
    const listOperatorEvents = async (accountId: string) =>
      (await shop.service.services.billing.listEvents({ accountId, limit: 50 })).filter(
        ({ kind }) => kind === 'operator.sync',
      );

    describe('two contradicting events of the same second', () => {
      for (const first of ['pro', 'business'] as const) {
        test(`the provider's answer decides, if ${first} arrives first`, async () => {
          const { session, subscription } = await subscribe('business');
          const created = Math.floor(shop.clock.now() / 1_000) + 100;
          const [item] = subscription.items.data;
          const asPro = { ...subscription, items: { data: [{ ...item, price: 'price_demo_pro' }] } };
          const objects = first === 'pro' ? [asPro, subscription] : [subscription, asPro];
          for (const object of objects) {
            const receipt = await send('customer.subscription.updated', created, object);
            assert.deepEqual(receipt, { duplicate: false, stale: false });
          }
          assert.equal(await planOf(session), 'business');
        });
      }

      test('while the provider is down, the last event wins; when it is back, it is asked again', async () => {
        const { session, subscription } = await subscribe('business');
        const created = Math.floor(shop.clock.now() / 1_000) + 100;
        const paused = { ...subscription, status: 'paused' };
        await shop.closeSandbox();
        await send('customer.subscription.updated', created, subscription);
        await send('customer.subscription.updated', created, paused);
        assert.equal(await planOf(session), 'free');
        await assert.rejects(shop.service.services.billing.recover());
        assert.equal(await planOf(session), 'free');
        await shop.reopenSandbox();
        await shop.service.services.billing.recover();
        assert.equal(await planOf(session), 'business');
        assert.equal((await sync()).length, 0, 'nothing is left to repair');
      });
    });

    describe('sync', () => {
      test('reports nothing if everything matches', async () => {
        await subscribe();
        assert.deepEqual(await sync(), []);
      });

      test('reports a lost event without changing anything; applied, it is effective immediately', async () => {
        const { session, accountId, subscription } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        const reported = await compare();
        assert.equal(await planOf(session), 'pro');
        assert.deepEqual(await listOperatorEvents(accountId), []);
        shop.clock.advance(10_000);
        const applied = await sync();
        assert.deepEqual(
          [reported, applied].map((list) =>
            list.map((each) => [each.subscriptionId, each.accountId, each.stored?.plan, each.provider?.plan]),
          ),
          [[[subscription.id, accountId, 'pro', 'business']], [[subscription.id, accountId, 'pro', 'business']]],
        );
        assert.equal(applied[0]?.result, 'applied');
        assert.equal(await planOf(session), 'business');
        assert.deepEqual(await sync(), []);
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        assert.equal(await planOf(session), 'business', 'the late event changes nothing');
      });

      test('records an operator event with who, when, and the state before and after, and logs it', async () => {
        const { session, accountId, subscription } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        shop.clock.advance(10_000);
        await sync();
        const [event, ...others] = await listOperatorEvents(accountId);
        assert.deepEqual(others, []);
        assert.ok(event);
        assert.match(event.id, /^op_[0-9a-f-]{36}$/);
        assert.deepEqual(
          [event.kind, event.operator, event.outcome, event.subscriptionId, event.receivedAt, event.created],
          ['operator.sync', OPERATOR, 'applied', subscription.id, shop.clock.now(), seconds(shop.clock.now())],
        );
        const { before, after } = JSON.parse(event.change ?? '') as RecordedChange;
        assert.deepEqual([before.plan, after.plan], ['pro', 'business']);
        assert.deepEqual([before.subscription?.plan, after.subscription?.plan], ['pro', 'business']);
        assert.equal(before.subscription?.status, 'active');
        const line = shop.service.logLines.find((each) => each.includes(event.id)) ?? '{}';
        assert.equal(JSON.parse(line).operator, OPERATOR);
        assert.deepEqual(await shop.service.services.billing.replay(event.id), { problem: 'operator' });
        assert.deepEqual(await sync(), []);
        assert.equal((await listOperatorEvents(accountId)).length, 1, 'nothing changed, so nothing is recorded');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
      });

      test('the server itself changes no plan without a signed event', async () => {
        const { session, accountId } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        shop.clock.advance(60_000);
        const { billing } = shop.service.services;
        await billing.recover();
        await billing.reduceOldEvents();
        await shop.open('portal', session);
        await shop.open('checkout', session, { plan: 'business' });
        await fetch(`${shop.service.url}/dashboard?checkout=done`, { headers: session.headers });
        assert.equal(await planOf(session), 'pro');
        assert.deepEqual(await listOperatorEvents(accountId), []);
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        assert.equal(await planOf(session), 'business');
      });

      test('finds an unknown subscription and its account', async () => {
        const session = await shop.service.signIn({ plan: 'free' });
        shop.sandbox.setDeliveries({ hold: true });
        await shop.buy(session, 'pro').catch(() => undefined);
        assert.equal(await planOf(session), 'free');
        shop.clock.advance(10_000);
        const [found] = await sync();
        assert.deepEqual([found?.stored, found?.provider?.status, found?.result], [null, 'active', 'applied']);
        assert.equal(await planOf(session), 'pro');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
      });

      test('ends a subscription that the provider does not know', async () => {
        const session = await shop.service.signIn({ plan: 'free' });
        const { accountId } = session.account;
        const object = {
          id: 'sub_of_another_life',
          customer: 'cus_of_another_life',
          status: 'active',
          metadata: { accountId },
          items: { data: [{ price: { id: 'price_demo_pro' } }] },
        };
        await send('customer.subscription.created', Math.floor(shop.clock.now() / 1_000), object);
        assert.equal(await planOf(session), 'pro');
        const [found] = await sync();
        assert.deepEqual([found?.subscriptionId, found?.provider, found?.result], [object.id, null, 'applied']);
        assert.equal(await planOf(session), 'free');
      });

      test('does not overwrite what a newer event has changed', async () => {
        const { session, subscription } = await subscribe('pro');
        const later = Math.floor(shop.clock.now() / 1_000) + 50;
        await send('customer.subscription.updated', later, { ...subscription, status: 'past_due' });
        const found = await sync();
        assert.deepEqual(
          found.map(({ subscriptionId, result }) => [subscriptionId, result]),
          [[subscription.id, 'overtaken']],
        );
        assert.equal((await shop.account(session)).billing.status, 'past_due');
        shop.clock.advance(100_000);
        assert.equal((await sync())[0]?.result, 'applied');
      });

      test('a signed event that arrives between report and confirmation wins, and nothing is recorded', async () => {
        const { session, accountId, subscription } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        shop.clock.advance(10_000);
        const [reported] = await compare();
        assert.ok(reported);
        await send('customer.subscription.deleted', seconds(shop.clock.now()) + 1, subscription);
        const { billing } = shop.service.services;
        assert.equal(await billing.applyDifference(reported, OPERATOR), 'overtaken');
        assert.equal(await planOf(session), 'free');
        assert.deepEqual(await listOperatorEvents(accountId), []);
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        shop.clock.advance(10_000);
        await sync();
      });

      test('fails with billing_unavailable while the provider is down, and changes nothing', async () => {
        await shop.closeSandbox();
        await assert.rejects(sync(), { code: 'billing_unavailable' });
        await shop.reopenSandbox();
      });
    });

    test('replay applies an event again, but never over a newer state', async () => {
      const { session, accountId, subscription } = await subscribe('pro');
      const { billing } = shop.service.services;
      const [first] = (await billing.listEvents({ accountId, limit: 10 })).filter(({ kind }) =>
        kind.endsWith('created'),
      );
      await shop.press(session, 'cancel-now');
      assert.deepEqual(await billing.replay(first?.id ?? ''), { outcome: 'stale' });
      assert.equal(await planOf(session), 'free');
      const all = await billing.listEvents({ accountId, limit: 10 });
      const end = all.find(({ kind }) => kind.endsWith('deleted'));
      assert.equal(end?.subscriptionId, subscription.id);
      assert.deepEqual(await billing.replay(end?.id ?? ''), { outcome: 'applied' });
      assert.equal(await planOf(session), 'free');
      assert.deepEqual(await billing.replay('evt_nobody_knows'), { problem: 'unknown' });
    });
  });
}
