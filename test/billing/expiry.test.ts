import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { RecordedChange } from '../../src/billing/changes.ts';
import { engines } from '../harness/databases.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { openShop, type Shop } from '../harness/shop.ts';

/** What ends by time, if the provider's events are lost: the service and a real payment sandbox, with one clock. */
const DAY = 86_400_000;

for (const engine of engines) {
  describe(`lost events on ${engine}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(engine);
    });
    after(() => shop[Symbol.asyncDispose]());

    /** Sessions do not last for a month, so every look at an account signs in again. */
    const look = async ({ subject }: { subject: string }) =>
      shop.account(await shop.service.signIn({ plan: 'free', subject }));
    const planOf = async (buyer: { subject: string }) => (await look(buyer)).plan.id;

    /** Buys a plan, after events that an earlier test has lost have arrived. */
    async function subscribe(plan: 'pro' | 'business' = 'business') {
      shop.sandbox.setDeliveries({ release: true });
      await shop.sandbox.settled();
      const subject = randomUUID();
      const session = await shop.service.signIn({ plan: 'free', subject });
      await shop.buy(session, plan);
      const { data } = await shop.sandbox.stripe.subscriptions.list({ limit: 100 });
      const subscription = data.find(({ metadata }) => metadata.accountId === session.account.accountId);
      assert.ok(subscription);
      const [item] = subscription.items.data;
      assert.ok(item);
      return {
        subject,
        session,
        accountId: session.account.accountId,
        subscription,
        item,
        end: item.current_period_end * 1_000,
      };
    }

    async function runBackgroundWork() {
      await shop.service.services.billing.checkOverdue();
      await shop.service.services.billing.endPlans();
    }

    const listChanges = async (accountId: string) =>
      (await shop.service.services.billing.listEvents({ accountId, limit: 50 }))
        .filter(({ kind }) => kind.startsWith('server.'))
        .map(({ kind, operator, change, id }) => ({
          id,
          kind,
          operator,
          ...(JSON.parse(change ?? '') as RecordedChange),
        }));

    async function send(type: string, object: object, created = Math.floor(shop.clock.now() / 1_000)) {
      const body = renderEvent({ type, created, object });
      const signature = sign(body, shop.clock.now(), shop.sandbox.settings().webhookSecret);
      return shop.service.services.billing.receive(Buffer.from(body), signature);
    }

    async function losingEvents(work: () => Promise<void>): Promise<void> {
      shop.sandbox.setDeliveries({ hold: true });
      await work();
    }

    describe('a cancelled subscription', () => {
      test('entitles to nothing from the instant of its end, without an event and without background work', async () => {
        const buyer = await subscribe();
        const { session, accountId, end } = buyer;
        const { secret } = await shop.service.services.apiKeys.create(accountId, 'a');
        await shop.press(session, 'cancel-at-period-end');
        await losingEvents(async () => {
          shop.clock.set(new Date(end - 1).toISOString());
          assert.equal(await planOf(buyer), 'business');
          shop.clock.set(new Date(end).toISOString());
          assert.equal(await planOf(buyer), 'free');
        });
        const { billing } = await look(buyer);
        assert.deepEqual([billing.status, billing.cancelAtPeriodEnd], ['canceled', false]);
        // The cached key: at most 900 ms of real time, however far the test's clock has jumped.
        shop.service.services.apiKeys.forget(accountId);
        const reply = await shop.service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
        assert.equal(reply.headers.get('x-monthly-quota-limit'), '1000');
        assert.equal(reply.headers.get('x-ratelimit-limit'), '60');
        await assert.rejects(shop.service.services.apiKeys.create(accountId, 'b'), { code: 'api_key_limit_reached' });
        const { headers } = await shop.service.signIn({ plan: 'free', subject: buyer.subject });
        const page = await (await fetch(`${shop.service.url}/dashboard`, { headers })).text();
        assert.match(page, /Your subscription is <strong>cancelled<\/strong>. You are on Free\./);
        assert.deepEqual(await listChanges(accountId), [], 'nothing had to be written for that');
      });

      test('is recorded once, and stays over after its late event', async () => {
        const buyer = await subscribe('pro');
        const { accountId, subscription, item, end } = buyer;
        await send('customer.subscription.updated', { ...subscription, cancel_at: item.current_period_end });
        shop.clock.set(new Date(end).toISOString());
        await Promise.all([runBackgroundWork(), runBackgroundWork()]);
        await runBackgroundWork();
        const [change, ...others] = await listChanges(accountId);
        assert.deepEqual(others, []);
        assert.deepEqual(
          [change?.kind, change?.operator, change?.before.plan, change?.after.plan, change?.reason],
          ['server.expiry', 'server', 'pro', 'free', 'cancelled'],
        );
        assert.deepEqual(await shop.service.services.billing.replay(change?.id ?? ''), { problem: 'operator' });
        const receipt = await send('customer.subscription.deleted', { ...subscription, status: 'canceled' });
        assert.deepEqual(receipt, { duplicate: false, stale: false });
        assert.equal(await planOf(buyer), 'free');
      });

      test('of a date within the period ends then; of a later date, it ends then although it was renewed', async () => {
        for (const days of [3, 45]) {
          const buyer = await subscribe('pro');
          const { subscription, item } = buyer;
          const cancelAt = Math.floor(shop.clock.now() / 1_000) + days * 86_400;
          const period = { current_period_start: cancelAt - 86_400, current_period_end: cancelAt + 864_000 };
          const items = { data: [{ ...item, ...(days > 31 && period) }] };
          await send('customer.subscription.updated', { ...subscription, items, cancel_at: cancelAt });
          shop.clock.set(new Date(cancelAt * 1_000 - 1).toISOString());
          assert.equal(await planOf(buyer), 'pro', `${days} days`);
          shop.clock.advance(1);
          assert.equal(await planOf(buyer), 'free', `${days} days`);
        }
      });

      test('whose cancellation was taken back, by an event that was lost, gets its plan back', async () => {
        const buyer = await subscribe('pro');
        const { accountId, subscription, end } = buyer;
        await send('customer.subscription.updated', { ...subscription, cancel_at_period_end: true });
        await losingEvents(async () => {
          shop.clock.set(new Date(end + 3 * DAY).toISOString());
          assert.equal(await planOf(buyer), 'free');
          await runBackgroundWork();
        });
        assert.equal(await planOf(buyer), 'pro');
        const [change] = await listChanges(accountId);
        assert.deepEqual([change?.kind, change?.after.plan], ['server.check', 'pro']);
      });
    });

    describe('a subscription that was not renewed', () => {
      test('keeps its plan for the grace; then the provider says that it has ended', async () => {
        const buyer = await subscribe();
        const { session, accountId, end } = buyer;
        await losingEvents(async () => {
          await shop.press(session, 'cancel-now').catch(() => undefined);
          shop.clock.set(new Date(end + 3 * DAY - 1).toISOString());
          await runBackgroundWork();
          assert.equal(await planOf(buyer), 'business', 'within the grace, the provider is not asked');
          shop.clock.advance(1);
          await runBackgroundWork();
        });
        assert.equal(await planOf(buyer), 'free');
        const [change, ...others] = await listChanges(accountId);
        assert.deepEqual(others, []);
        assert.deepEqual(
          [change?.kind, change?.before.plan, change?.after.plan, change?.after.subscription?.status],
          ['server.check', 'business', 'free', 'canceled'],
        );
      });

      test('was renewed, says the provider: its new period is stored', async () => {
        const buyer = await subscribe();
        const { accountId, end } = buyer;
        await losingEvents(async () => {
          shop.clock.set(new Date(end + 3 * DAY).toISOString());
          await runBackgroundWork();
        });
        const { plan, billing } = await look(buyer);
        assert.equal(plan.id, 'business');
        assert.ok(Date.parse(billing.currentPeriodEnd ?? '') > shop.clock.now());
        const [change] = await listChanges(accountId);
        assert.deepEqual([change?.before.plan, change?.after.plan], ['business', 'business']);
        assert.equal(change?.before.subscription?.periodEnd, end);
        await runBackgroundWork();
        assert.equal((await listChanges(accountId)).length, 1, 'it is asked once');
      });

      test('moves to the free plan if the provider cannot be asked for a week, and recovers by itself', async () => {
        const buyer = await subscribe();
        const { accountId, end } = buyer;
        shop.sandbox.setDeliveries({ hold: true });
        await shop.closeSandbox();
        shop.clock.set(new Date(end + 10 * DAY - 1).toISOString());
        await runBackgroundWork();
        assert.equal(await planOf(buyer), 'business');
        shop.clock.advance(1);
        assert.equal(await planOf(buyer), 'free', 'at that instant, without background work');
        await runBackgroundWork();
        const [change, ...others] = await listChanges(accountId);
        assert.deepEqual(others, []);
        assert.deepEqual([change?.kind, change?.after.plan, change?.reason], ['server.expiry', 'free', 'unconfirmed']);
        assert.equal((await look(buyer)).billing.status, 'unconfirmed');
        assert.ok(
          shop.service.logLines.some((line) => line.includes(accountId) && line.includes('could not be asked')),
        );
        await shop.reopenSandbox();
        shop.clock.advance(6 * 3_600_000);
        await runBackgroundWork();
        assert.equal(await planOf(buyer), 'business');
      });
    });
  });
}
