import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import {
  type EventFields,
  PRICES,
  renderEvent,
  renderSubscription,
  type SubscriptionFields,
  sign,
  WEBHOOK_SECRET,
} from '../harness/payment-events.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';

const WEBHOOK = '/api/v1/billing/webhook';
/** 2026-03-15T12:00:00Z, the time of the test clock. */
const NOW = 1_773_576_000;

for (const engine of engines) {
  describe(`POST /billing/webhook on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, { env: { STRIPE_WEBHOOK_SECRET: `whsec_old, ${WEBHOOK_SECRET}` } });
    });
    after(() => service[Symbol.asyncDispose]());

    const post = (body: string | Uint8Array, headers: Record<string, string> = {}, of = service) =>
      of.client.request('POST', WEBHOOK, { body: body as string, headers });
    const signed = (body: string) => ({ 'payment-signature': sign(body, service.clock.now()) });
    /** Delivers an event and returns how it was received. */
    async function deliver(fields: EventFields): Promise<string> {
      const body = renderEvent(fields);
      const reply = await post(body, { 'content-type': 'application/json', ...signed(body) });
      assert.equal(reply.status, 200, reply.text);
      const { received, duplicate, stale } = reply.body;
      assert.equal(received, true);
      return duplicate ? 'duplicate' : stale ? 'stale' : 'processed';
    }
    const tell = (kind: string, created: number, fields: SubscriptionFields & { eventId?: string }) =>
      deliver({
        type: `customer.subscription.${kind}`,
        created,
        object: renderSubscription(fields),
        ...(fields.eventId && { id: fields.eventId }),
      });
    async function accountOf(session: TestSession) {
      const { body } = await service.client.get('/api/v1/account', { headers: session.headers });
      return body.data;
    }
    const planOf = async (session: TestSession) => (await accountOf(session)).plan.id;
    const subscriber = async () => {
      const session = await service.signIn({ plan: 'free' });
      return { session, accountId: session.account.accountId, id: `sub_${randomUUID()}` };
    };

    describe('the signature', () => {
      const body = renderEvent({ id: 'evt_signature', type: 'ping', created: NOW, object: {} });
      const [, good = ''] = sign(body, NOW * 1_000).split('v1=');
      const refused: Record<string, string | undefined> = {
        missing: undefined,
        empty: '',
        'without time': `v1=${good}`,
        'without signature': `t=${NOW}`,
        'only of another scheme': `t=${NOW},v0=${good}`,
        'of other bytes': sign(`${body} `, NOW * 1_000),
        'with an unknown secret': sign(body, NOW * 1_000, 'whsec_guessed'),
        'made 301 seconds ago': sign(body, (NOW - 301) * 1_000),
        'made in 301 seconds': sign(body, (NOW + 301) * 1_000),
        'with the time of another one': sign(body, NOW * 1_000).replace(`t=${NOW}`, `t=${NOW - 1}`),
        'with two times': `t=${NOW},t=${NOW},v1=${good}`,
        'cut short': `t=${NOW},v1=${good.slice(0, -1)}`,
        'of no number': `t=now,v1=${good}`,
        garbage: '\u00ff=,,=;v1',
      };
      for (const [title, header] of Object.entries(refused)) {
        test(`400 invalid_signature when it is ${title}`, async () => {
          const reply = await post(body, header === undefined ? {} : { 'payment-signature': header });
          assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_signature']);
        });
      }

      test('rejected events are not stored', async () => {
        const events = await service.services.billing.listEvents({ limit: 1_000 });
        assert.equal(events.filter(({ id }) => id === 'evt_signature').length, 0);
      });

      const accepted: Record<string, Record<string, string>> = {
        'as Payment-Signature': { 'payment-signature': sign(body, NOW * 1_000) },
        'as Stripe-Signature': { 'stripe-signature': sign(body, NOW * 1_000) },
        'with the other configured secret': { 'payment-signature': sign(body, NOW * 1_000, 'whsec_old') },
        'among several, the last of which fits': {
          'payment-signature': `t=${NOW},v1=${'0'.repeat(64)},v0=${good},v1=${good}`,
        },
        'made 300 seconds ago': { 'payment-signature': sign(body, (NOW - 300) * 1_000) },
        'made in 300 seconds': { 'payment-signature': sign(body, (NOW + 300) * 1_000) },
        'with blanks between its parts': { 'payment-signature': `t=${NOW}, v1=${good}` },
        'of any content type': { 'payment-signature': sign(body, NOW * 1_000), 'content-type': 'text/plain' },
      };
      for (const [title, headers] of Object.entries(accepted)) {
        test(`accepted ${title}`, async () => assert.equal((await post(body, headers)).status, 200));
      }
    });

    describe('the body', () => {
      const cases: Record<string, string | Uint8Array> = {
        'no JSON': '{"id": "evt_1"',
        empty: '',
        'a list': '[]',
        'without id': JSON.stringify({ type: 'ping', created: NOW }),
        'without type': JSON.stringify({ id: 'evt_1', created: NOW }),
        'without created': JSON.stringify({ id: 'evt_1', type: 'ping' }),
        'with a text for created': JSON.stringify({ id: 'evt_1', type: 'ping', created: String(NOW) }),
        'with half a second': JSON.stringify({ id: 'evt_1', type: 'ping', created: NOW + 0.5 }),
        'with a NUL in the id': JSON.stringify({ id: 'evt_\u0000', type: 'ping', created: NOW }),
        'not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
      };
      for (const [title, body] of Object.entries(cases)) {
        test(`400 invalid_request: signed, but ${title}`, async () => {
          const reply = await post(body, { 'payment-signature': sign(body, service.clock.now()) });
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
        const { session, accountId } = await subscriber();
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

    describe('the plan', () => {
      const plans: Record<string, string> = {
        active: 'pro',
        trialing: 'pro',
        past_due: 'pro',
        incomplete: 'free',
        incomplete_expired: 'free',
        unpaid: 'free',
        canceled: 'free',
        paused: 'free',
      };
      for (const [status, plan] of Object.entries(plans)) {
        test(`a subscription that is ${status}: ${plan}`, async () => {
          const { session, accountId, id } = await subscriber();
          await tell('created', NOW, { id, accountId });
          assert.equal(await planOf(session), 'pro');
          await tell('updated', NOW + 1, { id, accountId, status });
          const account = await accountOf(session);
          assert.deepEqual([account.plan.id, account.billing.status], [plan, status]);
        });
      }

      test('a complete lifecycle: created, updated, paused, resumed, deleted', async () => {
        const { session, accountId, id } = await subscriber();
        await tell('created', NOW, { id, accountId, status: 'incomplete' });
        assert.equal(await planOf(session), 'free');
        await tell('updated', NOW + 1, { id, accountId, price: PRICES.business });
        assert.equal(await planOf(session), 'business');
        await tell('paused', NOW + 2, { id, accountId, price: PRICES.business, status: 'paused' });
        assert.equal(await planOf(session), 'free');
        await tell('resumed', NOW + 3, { id, accountId, price: PRICES.pro });
        assert.equal(await planOf(session), 'pro');
        await tell('deleted', NOW + 4, { id, accountId, status: 'canceled' });
        assert.equal(await planOf(session), 'free');
      });

      test('applies to the next data request: limits, quota and period in the headers', async () => {
        const { session, accountId, id } = await subscriber();
        const { secret } = await service.services.apiKeys.create(accountId, 'test');
        const limits = async () => {
          const { headers } = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
          const names = ['X-RateLimit-Limit', 'X-Monthly-Quota-Limit', 'X-Monthly-Quota-Reset'];
          return names.map((name) => headers.get(name));
        };
        assert.deepEqual(await limits(), ['60', '1000', '2026-04-01T00:00:00.000Z']);
        const period = [NOW - 86_400, NOW + 86_400 * 30] as const;
        await tell('created', NOW, { id, accountId, price: PRICES.business, period });
        assert.deepEqual(await limits(), ['3000', '1000000', '2026-04-14T12:00:00.000Z']);
        await tell('updated', NOW + 1, { id, accountId, price: PRICES.pro, period });
        assert.deepEqual(await limits(), ['600', '100000', '2026-04-14T12:00:00.000Z']);
        await tell('deleted', NOW + 2, { id, accountId, status: 'canceled', period });
        assert.deepEqual(await limits(), ['60', '1000', '2026-04-01T00:00:00.000Z']);
        assert.equal(await planOf(session), 'free');
      });

      for (const periodOnTop of [false, true]) {
        test(`the period ${periodOnTop ? 'on the subscription, as before 2025' : 'on its item'}`, async () => {
          const { session, accountId, id } = await subscriber();
          const period = [NOW - 60, NOW + 86_400] as const;
          await tell('created', NOW, { id, accountId, period, periodOnTop, cancelAtPeriodEnd: true });
          const { billing, usage } = await accountOf(session);
          assert.deepEqual(billing, {
            status: 'active',
            currentPeriodEnd: '2026-03-16T12:00:00.000Z',
            cancelAtPeriodEnd: true,
            portalAvailable: false,
          });
          assert.deepEqual(
            [usage.periodStart, usage.periodEnd],
            ['2026-03-15T11:59:00.000Z', '2026-03-16T12:00:00.000Z'],
          );
        });
      }

      test('the best live subscription of several counts', async () => {
        const { session, accountId, id } = await subscriber();
        const customer = `cus_${id}`;
        await tell('created', NOW, { id: `${id}a`, accountId, customer, price: PRICES.business });
        await tell('created', NOW + 5, { id: `${id}b`, accountId, customer, price: PRICES.pro });
        assert.equal(await planOf(session), 'business', 'the more expensive one, although the other is newer');
        await tell('deleted', NOW + 6, { id: `${id}a`, accountId, customer, status: 'canceled' });
        assert.equal(await planOf(session), 'pro', 'the remaining one');
        await tell('updated', NOW + 7, { id: `${id}b`, accountId, customer, status: 'unpaid' });
        assert.equal(await planOf(session), 'free');
      });

      test('an unknown price changes nothing and is logged; a deletion with one still ends the subscription', async () => {
        const { session, accountId, id } = await subscriber();
        await tell('created', NOW, { id, accountId });
        assert.equal(await tell('updated', NOW + 1, { id, accountId, price: 'price_of_a_mug' }), 'processed');
        assert.equal(await planOf(session), 'pro');
        const events = await service.services.billing.listEvents({ accountId, limit: 10 });
        const event = events.find(({ outcome }) => outcome === 'unknown_price');
        assert.ok(event);
        assert.ok(service.logLines.some((line) => line.includes(event.id) && line.includes('STRIPE_PRICE_PRO')));
        await tell('deleted', NOW + 2, { id, accountId, price: 'price_of_a_mug', status: 'canceled' });
        assert.equal(await planOf(session), 'free');
      });
    });

    describe('matching events to accounts', () => {
      test('by metadata first, later by the customer', async () => {
        const { session, accountId, id } = await subscriber();
        const customer = `cus_${id}`;
        await tell('created', NOW, { id, accountId, customer });
        await tell('updated', NOW + 1, { id, customer, price: PRICES.business });
        assert.equal(await planOf(session), 'business');
      });

      test('the stored customer takes precedence over metadata', async () => {
        const [one, two] = [await subscriber(), await subscriber()];
        const customer = `cus_${one.id}`;
        await tell('created', NOW, { id: one.id, accountId: one.accountId, customer });
        await tell('created', NOW + 1, { id: two.id, accountId: two.accountId, customer, price: PRICES.business });
        assert.deepEqual([await planOf(one.session), await planOf(two.session)], ['business', 'free']);
      });

      for (const order of ['before', 'after']) {
        test(`by client_reference_id of a checkout that is delivered ${order} the subscription`, async () => {
          const { session, accountId, id } = await subscriber();
          const customer = `cus_${id}`;
          const checkout = { id: `cs_${id}`, customer, client_reference_id: accountId, subscription: id };
          const tellCheckout = () => deliver({ type: 'checkout.session.completed', created: NOW, object: checkout });
          if (order === 'before') await tellCheckout();
          assert.equal(await planOf(session), 'free', 'a checkout alone does not change the plan');
          await tell('created', NOW, { id, customer });
          if (order === 'after') {
            assert.equal(await planOf(session), 'free');
            const unmatched = await service.services.billing.listEvents({ unmatched: true, limit: 100 });
            assert.ok(
              unmatched.some(({ subscriptionId }) => subscriptionId === id),
              'visible as unmatched',
            );
            await tellCheckout();
            const later = await service.services.billing.listEvents({ unmatched: true, limit: 100 });
            assert.ok(!later.some(({ subscriptionId }) => subscriptionId === id), 'it is not matched later');
          }
          assert.equal(await planOf(session), 'pro');
        });
      }

      test('an event without an account is accepted, stored and logged as unmatched', async () => {
        for (const accountId of [undefined, randomUUID(), 'not an id']) {
          const id = `sub_${randomUUID()}`;
          assert.equal(await tell('created', NOW, { id, ...(accountId && { accountId }) }), 'processed');
          const unmatched = await service.services.billing.listEvents({ unmatched: true, limit: 100 });
          const event = unmatched.find(({ subscriptionId }) => subscriptionId === id);
          assert.equal(event?.accountId, null);
          assert.ok(service.logLines.some((line) => line.includes(String(event?.id)) && line.includes('no account')));
          assert.equal(await tell('updated', NOW - 1, { id }), 'stale', 'its order is still checked');
        }
      });
    });

    describe('order', () => {
      test('a repeated event is a duplicate and changes nothing', async () => {
        const { session, accountId, id } = await subscriber();
        const eventId = `evt_${randomUUID()}`;
        assert.equal(await tell('created', NOW, { id, accountId, eventId }), 'processed');
        assert.equal(await tell('updated', NOW + 1, { id, accountId, price: PRICES.business }), 'processed');
        for (let times = 0; times < 3; times++) {
          assert.equal(await tell('created', NOW, { id, accountId, eventId }), 'duplicate');
        }
        assert.equal(await planOf(session), 'business');
      });

      test('an older event is stale and changes nothing; delivered again, it is a duplicate', async () => {
        const { session, accountId, id } = await subscriber();
        await tell('updated', NOW, { id, accountId, price: PRICES.business });
        const eventId = `evt_${randomUUID()}`;
        assert.equal(await tell('deleted', NOW - 1, { id, accountId, status: 'canceled', eventId }), 'stale');
        assert.equal(await planOf(session), 'business');
        assert.equal(await tell('deleted', NOW - 1, { id, accountId, status: 'canceled', eventId }), 'duplicate');
      });

      test('within one second, a deletion wins over a change and a change over a creation, in any order', async () => {
        for (const kinds of [
          ['created', 'updated', 'deleted'],
          ['deleted', 'updated', 'created'],
          ['updated', 'deleted', 'created'],
          ['created', 'deleted', 'updated'],
        ]) {
          const { session, accountId, id } = await subscriber();
          const looks = {
            created: { status: 'incomplete' },
            updated: { price: PRICES.business },
            deleted: { status: 'canceled' },
          };
          for (const kind of kinds) {
            await tell(kind, NOW, { id, accountId, ...looks[kind as keyof typeof looks] });
            const isEnd = kind === 'deleted' || kinds.indexOf('deleted') < kinds.indexOf(kind);
            const isChanged = kinds.indexOf('updated') <= kinds.indexOf(kind);
            assert.equal(await planOf(session), !isEnd && isChanged ? 'business' : 'free', `${kinds} at ${kind}`);
          }
        }
      });

      test('two changes in one second: the last delivery wins until the provider can be asked', async () => {
        const { session, accountId, id } = await subscriber();
        await tell('updated', NOW, { id, accountId, price: PRICES.business });
        assert.equal(await tell('updated', NOW, { id, accountId, price: PRICES.pro }), 'processed');
        assert.equal(await planOf(session), 'pro');
        const sql = 'SELECT unsettled FROM subscriptions WHERE id = $1';
        assert.equal((await service.services.accountsDb.one<{ unsettled: number }>(sql, [id]))?.unsettled, 1);
      });

      test('of twenty concurrent deliveries of an event, one is applied', async () => {
        const { accountId, id } = await subscriber();
        const eventId = `evt_${randomUUID()}`;
        const all = await Promise.all(
          Array.from({ length: 20 }, () => tell('created', NOW, { id, accountId, eventId })),
        );
        assert.deepEqual(all.toSorted(), [...Array(19).fill('duplicate'), 'processed']);
      });

      test('concurrent events for two customers of one account: the best subscription always counts', async () => {
        for (let round = 0; round < 40; round++) {
          const { session, accountId, id } = await subscriber();
          await Promise.all([
            tell('created', NOW, { id: `${id}a`, accountId, customer: `cus_a${id}`, price: PRICES.business }),
            tell('created', NOW, { id: `${id}b`, accountId, customer: `cus_b${id}`, price: PRICES.pro }),
          ]);
          assert.equal(await planOf(session), 'business');
        }
      });
    });

    test('503 with Retry-After while no secret is configured', async () => {
      await using bare = await startService(engine, { env: { STRIPE_WEBHOOK_SECRET: '' } });
      const reply = await post('{}', { 'payment-signature': sign('{}', bare.clock.now()) }, bare);
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'billing_unavailable']);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
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
      const { session, accountId, id } = await subscriber();
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
        await service.services.accountsDb.run(sql, [eventId, type, created, service.clock.now(), body]);
      }
      const again = await post(one, signed(one));
      assert.deepEqual(again.body, { received: true, duplicate: false, stale: false });
      assert.equal(await planOf(session), 'pro');
      await service.services.billing.recover();
      assert.equal(await planOf(session), 'pro', 'another process may still be applying it');
      service.clock.advance(31_000);
      await service.services.billing.recover();
      assert.equal(await planOf(session), 'business');
    });

    test('secrets, payloads and signatures are not logged', async () => {
      const body = renderEvent({ type: 'ping', created: NOW, object: { email: 'anna@example.com' } });
      await post(body, signed(body));
      await post(body, { 'payment-signature': 't=1,v1=abc' });
      const log = service.logLines.join('');
      for (const secret of [WEBHOOK_SECRET, 'anna@example.com', 'v1=']) assert.ok(!log.includes(secret), secret);
    });
  });
}
