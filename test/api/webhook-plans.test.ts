import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { PRICES } from '../harness/payment-events.ts';
import { NOW, useWebhook } from './webhook-service.ts';

for (const engine of usualEngines) {
  describe(`plans set by webhook events on ${engine}`, () => {
    const webhook = useWebhook(engine);
    const { deliver, sendSubscription, accountOf, planOf, createSubscriber } = webhook;

    describe('the plan', () => {
      test('after an immediate cancellation, the account has no paid period', async () => {
        const { session, accountId, id } = await createSubscriber();
        const period = [NOW - 86_400, NOW + 86_400 * 30] as const;
        await sendSubscription('created', NOW, { id, accountId, period });
        assert.equal((await accountOf(session)).billing.currentPeriodEnd, '2026-04-14T12:00:00.000Z');
        await sendSubscription('deleted', NOW + 1, { id, accountId, period, status: 'canceled' });
        const { plan, billing } = await accountOf(session);
        assert.deepEqual(
          [plan.id, billing.status, billing.currentPeriodEnd, billing.cancelAtPeriodEnd],
          ['free', 'canceled', null, false],
        );
      });

      test('it applies to the next data request: limits, quota and period in the headers', async () => {
        const { session, accountId, id } = await createSubscriber();
        const { secret } = await webhook.service.services.apiKeys.create(accountId, 'test');
        const limits = async () => {
          const { headers } = await webhook.service.client.get('/api/v1/countries', {
            headers: { 'x-api-key': secret },
          });
          const names = ['X-RateLimit-Limit', 'X-Monthly-Quota-Limit', 'X-Monthly-Quota-Reset'];
          return names.map((name) => headers.get(name));
        };
        assert.deepEqual(await limits(), ['60', '1000', '2026-04-01T00:00:00.000Z']);
        const period = [NOW - 86_400, NOW + 86_400 * 30] as const;
        await sendSubscription('created', NOW, { id, accountId, price: PRICES.business, period });
        assert.deepEqual(await limits(), ['3000', '1000000', '2026-04-14T12:00:00.000Z']);
        await sendSubscription('updated', NOW + 1, { id, accountId, price: PRICES.pro, period });
        assert.deepEqual(await limits(), ['600', '100000', '2026-04-14T12:00:00.000Z']);
        await sendSubscription('deleted', NOW + 2, { id, accountId, status: 'canceled', period });
        assert.deepEqual(await limits(), ['60', '1000', '2026-04-01T00:00:00.000Z']);
        assert.equal(await planOf(session), 'free');
      });

      test('a period that is extended or shortened applies, even if nothing else changes', async () => {
        const { session, accountId, id } = await createSubscriber();
        for (const [created, end] of [NOW + 86_400, NOW + 172_800, NOW + 3_600].entries()) {
          await sendSubscription('updated', NOW + created, { id, accountId, period: [NOW - 60, end] });
          assert.equal((await accountOf(session)).usage.periodEnd, new Date(end * 1_000).toISOString());
        }
      });

      for (const [kind, status] of [
        ['deleted', 'canceled'],
        ['paused', 'paused'],
      ] as const) {
        test(`${kind} ends the plan, even if the status in the event is still active`, async () => {
          const { session, accountId, id } = await createSubscriber();
          await sendSubscription('created', NOW, { id, accountId });
          assert.equal(await planOf(session), 'pro');
          await sendSubscription(kind, NOW + 1, { id, accountId, status: 'active' });
          const { plan, billing } = await accountOf(session);
          assert.deepEqual([plan.id, billing.status], ['free', status]);
          await sendSubscription('resumed', NOW + 2, { id, accountId, status: 'active' });
          assert.equal(await planOf(session), 'pro');
        });
      }

      test('a subscription never moves to another account', async () => {
        const [first, second] = [await createSubscriber(), await createSubscriber()];
        await sendSubscription('created', NOW, { id: first.id, accountId: first.accountId, customer: null });
        const customer = `cus_${second.id}`;
        const { id, accountId } = second;
        await sendSubscription('created', NOW, { id, accountId, customer, status: 'canceled' });
        await sendSubscription('updated', NOW + 1, { id: first.id, accountId: first.accountId, customer });
        assert.deepEqual([await planOf(first.session), await planOf(second.session)], ['pro', 'free']);
      });

      test('an unknown price changes nothing and is logged; a deletion with one still ends the subscription', async () => {
        const { session, accountId, id } = await createSubscriber();
        await sendSubscription('created', NOW, { id, accountId });
        assert.equal(
          await sendSubscription('updated', NOW + 1, { id, accountId, price: 'price_of_a_mug' }),
          'processed',
        );
        assert.equal(await planOf(session), 'pro');
        const events = await webhook.service.services.billing.listEvents({ accountId, limit: 10 });
        const event = events.find(({ outcome }) => outcome === 'unknown_price');
        assert.ok(event);
        assert.ok(
          webhook.service.logLines.some((line) => line.includes(event.id) && line.includes('STRIPE_PRICE_PRO')),
        );
        await sendSubscription('deleted', NOW + 2, { id, accountId, price: 'price_of_a_mug', status: 'canceled' });
        assert.equal(await planOf(session), 'free');
      });
    });

    describe('matching events to accounts', () => {
      test('by metadata first, later by the customer', async () => {
        const { session, accountId, id } = await createSubscriber();
        const customer = `cus_${id}`;
        await sendSubscription('created', NOW, { id, accountId, customer });
        await sendSubscription('updated', NOW + 1, { id, customer, price: PRICES.business });
        assert.equal(await planOf(session), 'business');
      });

      test('the stored customer takes precedence over metadata', async () => {
        const [one, two] = [await createSubscriber(), await createSubscriber()];
        const customer = `cus_${one.id}`;
        await sendSubscription('created', NOW, { id: one.id, accountId: one.accountId, customer });
        await sendSubscription('created', NOW + 1, {
          id: two.id,
          accountId: two.accountId,
          customer,
          price: PRICES.business,
        });
        assert.deepEqual([await planOf(one.session), await planOf(two.session)], ['business', 'free']);
      });

      for (const order of ['before', 'after']) {
        test(`by client_reference_id of a checkout that is delivered ${order} the subscription`, async () => {
          const { session, accountId, id } = await createSubscriber();
          const customer = `cus_${id}`;
          const checkout = { id: `cs_${id}`, customer, client_reference_id: accountId, subscription: id };
          const sendCheckout = () => deliver({ type: 'checkout.session.completed', created: NOW, object: checkout });
          if (order === 'before') await sendCheckout();
          assert.equal(await planOf(session), 'free', 'a checkout alone does not change the plan');
          await sendSubscription('created', NOW, { id, customer });
          if (order === 'after') {
            assert.equal(await planOf(session), 'free');
            const unmatched = await webhook.service.services.billing.listEvents({ unmatched: true, limit: 100 });
            assert.ok(
              unmatched.some(({ subscriptionId }) => subscriptionId === id),
              'listed as unmatched',
            );
            await sendCheckout();
            const later = await webhook.service.services.billing.listEvents({ unmatched: true, limit: 100 });
            assert.ok(!later.some(({ subscriptionId }) => subscriptionId === id), 'no longer listed as unmatched');
          }
          assert.equal(await planOf(session), 'pro');
        });
      }

      test('an event without an account is accepted, stored and logged as unmatched', async () => {
        for (const accountId of [undefined, randomUUID(), 'not an id']) {
          const id = `sub_${randomUUID()}`;
          assert.equal(await sendSubscription('created', NOW, { id, ...(accountId && { accountId }) }), 'processed');
          const unmatched = await webhook.service.services.billing.listEvents({ unmatched: true, limit: 100 });
          const event = unmatched.find(({ subscriptionId }) => subscriptionId === id);
          assert.equal(event?.accountId, null);
          assert.ok(
            webhook.service.logLines.some((line) => line.includes(String(event?.id)) && line.includes('no account')),
          );
          assert.equal(await sendSubscription('updated', NOW - 1, { id }), 'stale', 'its order is still checked');
        }
      });
    });
  });
}
