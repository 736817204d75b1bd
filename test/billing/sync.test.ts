import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Difference } from '../../src/billing/sync.ts';
import { engines } from '../harness/databases.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import type { TestSession } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';

const DAY = 86_400_000;

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
        await shop.service.services.billing.recover();
        assert.equal(await planOf(session), 'free');
        await shop.reopenSandbox();
        await shop.service.services.billing.recover();
        assert.equal(await planOf(session), 'business');
        assert.deepEqual(await compare(), []);
      });

      test('an answer that none of them reported grants nothing: the last event counts', async () => {
        const { session, subscription } = await subscribe('business');
        const created = Math.floor(shop.clock.now() / 1_000) + 100;
        for (const status of ['unpaid', 'paused']) {
          await send('customer.subscription.updated', created, { ...subscription, status });
        }
        const look = async () => {
          const { plan, billing } = await shop.account(session);
          return [plan.id, billing.status];
        };
        assert.deepEqual(await look(), ['free', 'paused']);
        await shop.service.services.billing.recover();
        assert.deepEqual(await look(), ['free', 'paused']);
        await send('customer.subscription.updated', created + 1, subscription);
        assert.deepEqual(await look(), ['business', 'active']);
      });
    });

    describe('without a signed event', () => {
      /** Everything a server does by itself or for a user, except receiving an event. */
      async function doEverythingElse(session: TestSession): Promise<void> {
        const { billing } = shop.service.services;
        await billing.recover();
        await billing.countDifferences();
        await billing.reduceOldEvents();
        await shop.open('portal', session);
        await shop.open('checkout', session, { plan: 'business' });
        await fetch(`${shop.service.url}/dashboard?checkout=done`, { headers: session.headers });
      }
      const signInAgain = (subject: string) => shop.service.signIn({ plan: 'free', subject });
      async function subscribeAs(plan: 'pro' | 'business') {
        const subject = randomUUID();
        const session = await signInAgain(subject);
        await shop.buy(session, plan);
        return { subject, session };
      }

      test('a change at the provider changes no plan', async () => {
        const { session } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        shop.clock.advance(60_000);
        await doEverythingElse(session);
        assert.equal(await planOf(session), 'pro');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        assert.equal(await planOf(session), 'business');
      });

      test('a renewal that is late changes nothing, and its event moves the period', async () => {
        const { subject } = await subscribeAs('business');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(100 * DAY);
        let session = await signInAgain(subject);
        await doEverythingElse(session);
        const late = await shop.account(session);
        assert.deepEqual([late.plan.id, late.billing.status], ['business', 'active']);
        assert.ok(Date.parse(late.billing.currentPeriodEnd ?? '') < shop.clock.now());
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        session = await signInAgain(subject);
        const renewed = await shop.account(session);
        assert.equal(renewed.plan.id, 'business');
        assert.ok(Date.parse(renewed.billing.currentPeriodEnd ?? '') > shop.clock.now());
      });

      test('a cancelled plan stays after its end, until the event of its end arrives', async () => {
        const { subject, session } = await subscribeAs('pro');
        await shop.press(session, 'cancel-at-period-end');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(100 * DAY);
        const later = await signInAgain(subject);
        await doEverythingElse(later);
        assert.equal(await planOf(later), 'pro');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        const { plan, billing } = await shop.account(later);
        assert.deepEqual([plan.id, billing.status, billing.cancelAtPeriodEnd], ['free', 'canceled', false]);
      });
    });

    describe('the comparison with the provider', () => {
      test('reports nothing if everything matches', async () => {
        await subscribe();
        assert.deepEqual(await compare(), []);
      });

      test('reports a lost event, and changes nothing', async () => {
        const { session, accountId, subscription } = await subscribe('pro');
        shop.sandbox.setDeliveries({ hold: true });
        shop.clock.advance(10_000);
        await shop.press(session, 'change-plan', { price: 'price_demo_business' }).catch(() => undefined);
        const found = (await compare()).map((each) => {
          return [each.subscriptionId, each.accountId, each.stored?.plan, each.provider?.plan, each.result];
        });
        assert.deepEqual(found, [[subscription.id, accountId, 'pro', 'business', 'differs']]);
        assert.equal(await shop.service.services.billing.countDifferences(), 1);
        assert.equal(await planOf(session), 'pro');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
        assert.deepEqual(await compare(), []);
      });

      test('finds an unknown subscription and its account', async () => {
        const session = await shop.service.signIn({ plan: 'free' });
        shop.sandbox.setDeliveries({ hold: true });
        await shop.buy(session, 'pro').catch(() => undefined);
        const [found] = await compare();
        assert.deepEqual(
          [found?.stored, found?.provider?.status, found?.accountId],
          [null, 'active', session.account.accountId],
        );
        assert.equal(await planOf(session), 'free');
        shop.sandbox.setDeliveries({ release: true });
        await shop.sandbox.settled();
      });

      test('finds a subscription that the provider does not know, until it has ended', async () => {
        const session = await shop.service.signIn({ plan: 'free' });
        const object = {
          id: 'sub_of_another_life',
          customer: 'cus_of_another_life',
          status: 'active',
          metadata: { accountId: session.account.accountId },
          items: { data: [{ price: { id: 'price_demo_pro' } }] },
        };
        const created = Math.floor(shop.clock.now() / 1_000);
        await send('customer.subscription.created', created, object);
        assert.deepEqual(
          (await compare()).map(({ subscriptionId, provider }) => [subscriptionId, provider]),
          [[object.id, null]],
        );
        assert.equal(await planOf(session), 'pro');
        await send('customer.subscription.deleted', created + 1, object);
        assert.deepEqual(await compare(), []);
      });

      test('fails with billing_unavailable while the provider is down', async () => {
        await shop.closeSandbox();
        await assert.rejects(compare(), { code: 'billing_unavailable' });
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
