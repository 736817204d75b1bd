import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { PRICES, renderEvent, renderSubscription, sign, WEBHOOK_SECRET } from '../harness/payment-events.ts';
import { startService } from '../harness/service.ts';
import { NOW, useWebhook } from './webhook-service.ts';

describeOn(usualEngines, 'POST /billing/webhook', (engine) => {
  const webhook = useWebhook(engine);
  const { post, signed, deliver, planOf, createSubscriber } = webhook;

  describe('the signature', () => {
    const body = renderEvent({ id: 'evt_signature', type: 'ping', created: NOW, object: {} });
    const [, good = ''] = sign(body, NOW * 1_000).split('v1=');
    const refused: Record<string, string | undefined> = {
      missing: undefined,
      empty: '',
      'without time': `v1=${good}`,
      'without signature': `t=${NOW}`,
      'of another scheme only': `t=${NOW},v0=${good}`,
      'of other bytes': sign(`${body} `, NOW * 1_000),
      'made with an unknown secret': sign(body, NOW * 1_000, 'whsec_guessed'),
      'made 301 seconds ago': sign(body, (NOW - 301) * 1_000),
      'made 301 seconds in the future': sign(body, (NOW + 301) * 1_000),
      'sent with another time than it was made for': sign(body, NOW * 1_000).replace(`t=${NOW}`, `t=${NOW - 1}`),
      'with two times': `t=${NOW},t=${NOW},v1=${good}`,
      'cut short': `t=${NOW},v1=${good.slice(0, -1)}`,
      'made at a time that is not a number': `t=now,v1=${good}`,
      garbage: '\u00ff=,,=;v1',
    };
    for (const [title, header] of Object.entries(refused)) {
      test(`400 invalid_signature when it is ${title}`, async () => {
        const reply = await post(body, header === undefined ? {} : { 'payment-signature': header });
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_signature']);
      });
    }

    test('rejected events are not stored', async () => {
      const events = await webhook.service.services.billing.listEvents({ limit: 1_000 });
      assert.equal(events.filter(({ id }) => id === 'evt_signature').length, 0);
    });

    const accepted: Record<string, Record<string, string>> = {
      'as Payment-Signature': { 'payment-signature': sign(body, NOW * 1_000) },
      'as Stripe-Signature': { 'stripe-signature': sign(body, NOW * 1_000) },
      'made with the other configured secret': { 'payment-signature': sign(body, NOW * 1_000, 'whsec_old') },
      'as the last of several': {
        'payment-signature': `t=${NOW},v1=${'0'.repeat(64)},v0=${good},v1=${good}`,
      },
      'made 300 seconds ago': { 'payment-signature': sign(body, (NOW - 300) * 1_000) },
      'made 300 seconds in the future': { 'payment-signature': sign(body, (NOW + 300) * 1_000) },
      'with spaces between its parts': { 'payment-signature': `t=${NOW}, v1=${good}` },
      'of any content type': { 'payment-signature': sign(body, NOW * 1_000), 'content-type': 'text/plain' },
    };
    for (const [title, headers] of Object.entries(accepted)) {
      test(`accepted ${title}`, async () => assert.equal((await post(body, headers)).status, 200));
    }
  });

  describe('an event from the future', () => {
    test('is refused, so that it does not make real events stale', async () => {
      const { session, accountId, id } = await createSubscriber();
      const send = (created: number, type: string) => {
        const body = renderEvent({ type, created, object: renderSubscription({ id, accountId }) });
        return post(body, signed(body));
      };
      for (const created of [NOW + 301, NOW + 31_536_000, 253_402_300_799]) {
        const reply = await send(created, 'customer.subscription.deleted');
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request']);
        assert.match(reply.body.error.message, /"created" lies in the future/);
      }
      const real = await send(NOW, 'customer.subscription.created');
      assert.deepEqual(real.body, { received: true, duplicate: false, stale: false });
      assert.equal(await planOf(session), 'pro');
      // As much as the clock of the signature may differ from ours.
      const ahead = await send(NOW + 300, 'customer.subscription.updated');
      assert.deepEqual(ahead.body, { received: true, duplicate: false, stale: false });
    });
  });

  describe('the body', () => {
    const cases: Record<string, string | Uint8Array> = {
      'not JSON': '{"id": "evt_1"',
      empty: '',
      'a list': '[]',
      'without id': JSON.stringify({ type: 'ping', created: NOW }),
      'without type': JSON.stringify({ id: 'evt_1', created: NOW }),
      'without created': JSON.stringify({ id: 'evt_1', type: 'ping' }),
      'with created as a string': JSON.stringify({ id: 'evt_1', type: 'ping', created: String(NOW) }),
      'with a fraction in created': JSON.stringify({ id: 'evt_1', type: 'ping', created: NOW + 0.5 }),
      'with a NUL in the id': JSON.stringify({ id: 'evt_\u0000', type: 'ping', created: NOW }),
      'not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
    };
    for (const [title, body] of Object.entries(cases)) {
      test(`400 invalid_request: signed, but ${title}`, async () => {
        const reply = await post(body, { 'payment-signature': sign(body, webhook.service.clock.now()) });
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request']);
      });
    }

    test('a body of 512 KiB is accepted, one byte more is rejected with 413', async () => {
      const event = { id: `evt_${randomUUID()}`, type: 'ping', created: NOW, padding: '' };
      const padding = 'é'.repeat((512 * 1024 - Buffer.byteLength(JSON.stringify(event))) >> 1);
      const body = JSON.stringify({ ...event, padding }).padEnd(512 * 1024 - padding.length, ' ');
      assert.equal(Buffer.byteLength(body), 512 * 1024);
      assert.equal((await post(body, signed(body))).status, 200);
      const larger = await post(`${body} `, signed(`${body} `));
      assert.deepEqual([larger.status, larger.body.error.code], [413, 'payload_too_large']);
    });

    test('unknown event types and objects are accepted and change nothing', async () => {
      const { session, accountId } = await createSubscriber();
      const cases = {
        'invoice.paid': { customer: 'cus_x' },
        'customer.subscription.trial_will_end': renderSubscription({ id: 'sub_trial', accountId }),
        'customer.subscription.updated': {},
        'customer.subscription.deleted': [],
        'checkout.session.completed': { client_reference_id: accountId },
      };
      for (const [type, object] of Object.entries(cases)) {
        assert.equal(await deliver({ type, created: NOW, object }), 'processed', type);
      }
      const bare = JSON.stringify({ id: `evt_${randomUUID()}`, type: 'customer.subscription.updated', created: NOW });
      assert.equal((await post(bare, signed(bare))).status, 200);
      assert.equal(await planOf(session), 'free');
    });
  });

  test('503 without Retry-After while no secret is configured: a retry does not help', async () => {
    await using bare = await startService(engine, { env: { STRIPE_WEBHOOK_SECRET: '' } });
    const reply = await post('{}', { 'payment-signature': sign('{}', bare.clock.now()) }, bare);
    assert.deepEqual([reply.status, reply.body.error.code], [503, 'billing_unavailable']);
    assert.equal(reply.headers.get('retry-after'), null);
    // Anybody can send it: it must not fill the log with errors.
    assert.doesNotMatch(bare.logLines.join(''), /"level":50/);
  });

  test('503 while the database is down; the event is applied when it is delivered again', async () => {
    await using broken = await startService(engine);
    await broken.services.accountsDb.close();
    const body = renderEvent({ type: 'ping', created: NOW, object: {} });
    const reply = await post(body, signed(body), broken);
    assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  });

  test('an event that is stored but not applied is applied by its redelivery or by the background task', async () => {
    const { session, accountId, id } = await createSubscriber();
    const [one, two] = [NOW, NOW + 1].map((created, index) =>
      renderEvent({
        type: 'customer.subscription.updated',
        created,
        object: renderSubscription({ id, accountId, price: index === 0 ? PRICES.pro : PRICES.business }),
      }),
    ) as [string, string];
    // The state after a crash between storing and applying.
    for (const body of [one, two]) {
      const { id: eventId, type, created } = JSON.parse(body);
      const sql = 'INSERT INTO billing_events (id, kind, created, received_at, payload) VALUES ($1, $2, $3, $4, $5)';
      await webhook.service.services.accountsDb.run(sql, [eventId, type, created, webhook.service.clock.now(), body]);
    }
    const again = await post(one, signed(one));
    assert.deepEqual(again.body, { received: true, duplicate: false, stale: false });
    assert.equal(await planOf(session), 'pro');
    await webhook.service.services.billing.recover();
    assert.equal(await planOf(session), 'pro', 'another process may still be applying it');
    webhook.service.clock.advance(31_000);
    await webhook.service.services.billing.recover();
    assert.equal(await planOf(session), 'business');
  });

  test('secrets, payloads and signatures are not logged', async () => {
    const body = renderEvent({ type: 'ping', created: NOW, object: { email: 'anna@example.com' } });
    await post(body, signed(body));
    await post(body, { 'payment-signature': 't=1,v1=abc' });
    const log = webhook.service.logLines.join('');
    for (const secret of [WEBHOOK_SECRET, 'anna@example.com', 'v1=']) assert.ok(!log.includes(secret), secret);
  });
});

describeOn(usualEngines, 'plans set by webhook events', (engine) => {
  const webhook = useWebhook(engine);
  const { deliver, sendSubscription, planOf, createSubscriber } = webhook;

  describe('the plan', () => {
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
      assert.equal(await sendSubscription('updated', NOW + 1, { id, accountId, price: 'price_of_a_mug' }), 'processed');
      assert.equal(await planOf(session), 'pro');
      const events = await webhook.service.services.billing.listEvents({ accountId, limit: 10 });
      const event = events.find(({ outcome }) => outcome === 'unknown_price');
      assert.ok(event);
      assert.ok(webhook.service.logLines.some((line) => line.includes(event.id) && line.includes('STRIPE_PRICE_PRO')));
      await sendSubscription('deleted', NOW + 2, { id, accountId, price: 'price_of_a_mug', status: 'canceled' });
      assert.equal(await planOf(session), 'free');
    });
  });

  describe('matching events to accounts', () => {
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
