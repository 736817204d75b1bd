import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRetention } from '../../src/billing/billing.ts';
import { parseEvent } from '../../src/billing/events.ts';
import { insertEvent } from '../../src/billing/store.ts';
import { engines, useStore, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const DAY = 86_400_000;
const SECRET_NAME = 'Anna Example, Long Street 1';

/** An event about a subscription of two years that names a person. */
function renderPurchase(accountId: string, created: number, fields: object = {}): string {
  const period = [created, created + (730 * DAY) / 1_000] as const;
  const subscription = renderSubscription({ id: `sub_${accountId}`, accountId, price: PRICES.business, period });
  const object = { ...subscription, shipping: SECRET_NAME, ...fields };
  return renderEvent({ type: 'customer.subscription.updated', created, object });
}

async function deliver(service: TestService, body: string) {
  const headers = { 'payment-signature': sign(body, service.clock.now()), 'content-type': 'application/json' };
  const reply = await service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const seconds = (service: TestService) => Math.floor(service.clock.now() / 1_000);
const idOf = (body: string): string => JSON.parse(body).id;
const planOf = async ({ services }: TestService, key: string) => (await services.apiKeys.findKey(key))?.plan.id;
const readRow = async ({ services }: TestService, id: string) => ({
  ...(await services.accountsDb.one('SELECT * FROM billing_events WHERE id = $1', [id])),
});

describeOn(usualEngines, 'payloads of payment events', (engine) => {
  test('are kept for WEBHOOK_DAYS, 90 by default, then reduced to id, kind, times and outcome', async () => {
    await using service = await startService(engine);
    const { account } = await service.signIn({ plan: 'free' });
    const { secret } = await service.services.apiKeys.create(account.accountId, 'a');
    const [receivedAt, created] = [service.clock.now(), seconds(service)];
    const body = renderPurchase(account.accountId, created);
    await deliver(service, body);
    const { billing } = service.services;

    service.clock.advance(90 * DAY);
    assert.equal(await billing.reduceOldEvents(), 0, 'not before the last millisecond of the 90 days');
    assert.equal((await readRow(service, idOf(body))).payload, body);
    service.clock.advance(1);
    assert.equal(await billing.reduceOldEvents(), 1);
    assert.deepEqual(await readRow(service, idOf(body)), {
      id: idOf(body),
      kind: 'customer.subscription.updated',
      created,
      received_at: receivedAt,
      payload: '',
      customer_id: null,
      subscription_id: null,
      account_id: null,
      outcome: 'applied',
      applied_at: receivedAt,
      reduced_at: service.clock.now(),
    });
    assert.equal(await billing.reduceOldEvents(), 0, 'an event is reduced once');
    assert.equal(await planOf(service, secret), 'business', 'the plan stays');
    const rows = await service.services.accountsDb.all('SELECT * FROM billing_events');
    assert.ok(!JSON.stringify(rows).includes(SECRET_NAME));
    assert.deepEqual(await billing.listEvents({ unmatched: true, limit: 10 }), [], 'it is not listed as unmatched');
  });

  test('a redelivered event is still a duplicate, an older one is still stale, and neither is stored again', async () => {
    await using service = await startService(engine, { env: { WEBHOOK_DAYS: '7' } });
    const { account } = await service.signIn({ plan: 'free' });
    const { secret } = await service.services.apiKeys.create(account.accountId, 'a');
    const created = seconds(service);
    const body = renderPurchase(account.accountId, created);
    await deliver(service, body);
    service.clock.advance(7 * DAY + 1);
    assert.equal(await service.services.billing.reduceOldEvents(), 1);
    assert.deepEqual(await deliver(service, body), { received: true, duplicate: true, stale: false });
    assert.equal((await readRow(service, idOf(body))).payload, '');
    const older = renderPurchase(account.accountId, created - 1, { status: 'canceled' });
    assert.deepEqual(await deliver(service, older), { received: true, duplicate: false, stale: true });
    assert.equal(await planOf(service, secret), 'business');
    const newer = renderPurchase(account.accountId, created + 1, { status: 'canceled' });
    assert.deepEqual(await deliver(service, newer), { received: true, duplicate: false, stale: false });
    assert.equal(await planOf(service, secret), 'free');
    assert.deepEqual(await service.services.billing.replay(idOf(body)), {
      problem: 'reduced',
      reducedAt: Date.parse('2026-03-22T12:00:00.001Z'),
    });
  });

  test('an event that is not applied keeps its payload until it is; the service reduces every 30 seconds', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setInterval'] });
    await using service = await startService(engine);
    const { billing, accountsDb } = service.services;
    const { account } = await service.signIn({ plan: 'free' });
    const { secret } = await service.services.apiKeys.create(account.accountId, 'a');
    const body = renderPurchase(account.accountId, seconds(service));
    const event = parseEvent(body, (price) => (price === PRICES.business ? 'business' : undefined));
    await insertEvent(accountsDb, event, body, service.clock.now());
    service.clock.advance(400 * DAY);
    assert.equal(await billing.reduceOldEvents(), 0);
    assert.equal((await readRow(service, event.id)).payload, body);
    await billing.recover();
    assert.equal(await planOf(service, secret), 'business');
    mock.timers.tick(30_000);
    await until('the event is reduced', async () => (await readRow(service, event.id)).payload === '');
  });
});

describeOn(engines, 'two machines at once', (engine) => {
  const { db, dbs } = useStore(engine, 'accounts', 2);
  test('reduce each event once, in batches that a stop ends', async () => {
    const EVENTS = 325;
    const rows = Array.from({ length: EVENTS }, (_, at) => [`evt_${at}`, 'x', 1, 0, SECRET_NAME, 'ignored']);
    await db.bulkLoad('billing_events', ['id', 'kind', 'created', 'received_at', 'payload', 'outcome'], rows);
    const log = { info: () => undefined, warn: () => undefined };
    const machines = dbs.map((db) => createRetention({ db, clock: { now: () => 91 * DAY }, log }, 90));
    const stopped = AbortSignal.abort();
    assert.equal(await machines[0]?.(stopped), 50, 'one batch');
    const counts = await Promise.all(machines.map((reduce) => reduce()));
    // The machine that finds the other one at work leaves the rest to it.
    const rest = (await machines[0]?.()) ?? 0;
    assert.equal(
      counts.reduce((sum, count) => sum + count, rest),
      EVENTS - 50,
    );
    assert.equal((await db.all("SELECT id FROM billing_events WHERE payload <> ''")).length, 0);
  });
});
