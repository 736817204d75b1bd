import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { PRICES } from '../harness/payment-events.ts';
import { NOW, useWebhook } from './webhook-service.ts';

for (const engine of engines) {
  describe(`the order of webhook events on ${engine}`, () => {
    const webhook = useWebhook(engine);
    const { sendSubscription, planOf, createSubscriber } = webhook;

    test('a repeated event is a duplicate and changes nothing', async () => {
      const { session, accountId, id } = await createSubscriber();
      const eventId = `evt_${randomUUID()}`;
      assert.equal(await sendSubscription('created', NOW, { id, accountId, eventId }), 'processed');
      assert.equal(await sendSubscription('updated', NOW + 1, { id, accountId, price: PRICES.business }), 'processed');
      for (let times = 0; times < 3; times++) {
        assert.equal(await sendSubscription('created', NOW, { id, accountId, eventId }), 'duplicate');
      }
      assert.equal(await planOf(session), 'business');
    });

    test('an older event is stale and changes nothing; delivered again, it is a duplicate', async () => {
      const { session, accountId, id } = await createSubscriber();
      await sendSubscription('updated', NOW, { id, accountId, price: PRICES.business });
      const eventId = `evt_${randomUUID()}`;
      assert.equal(await sendSubscription('deleted', NOW - 1, { id, accountId, status: 'canceled', eventId }), 'stale');
      assert.equal(await planOf(session), 'business');
      assert.equal(
        await sendSubscription('deleted', NOW - 1, { id, accountId, status: 'canceled', eventId }),
        'duplicate',
      );
    });

    test('of twenty concurrent deliveries of an event, one is applied', async () => {
      const { accountId, id } = await createSubscriber();
      const eventId = `evt_${randomUUID()}`;
      const all = await Promise.all(
        Array.from({ length: 20 }, () => sendSubscription('created', NOW, { id, accountId, eventId })),
      );
      assert.deepEqual(all.toSorted(), [...Array(19).fill('duplicate'), 'processed']);
    });

    test('concurrent events for two customers of one account: the best subscription always counts', async () => {
      for (let round = 0; round < 40; round++) {
        const { session, accountId, id } = await createSubscriber();
        await Promise.all([
          sendSubscription('created', NOW, {
            id: `${id}a`,
            accountId,
            customer: `cus_a${id}`,
            price: PRICES.business,
          }),
          sendSubscription('created', NOW, { id: `${id}b`, accountId, customer: `cus_b${id}`, price: PRICES.pro }),
        ]);
        assert.equal(await planOf(session), 'business');
      }
    });
  });
}
