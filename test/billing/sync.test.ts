import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Difference } from '../../src/billing/webhook.ts';
import { openShop, type Shop } from '../attack/shop.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { run } from '../harness/process.ts';
import type { TestSession } from '../harness/service.ts';

const DAY = 86_400_000;

describeOn(usualEngines, 'recovery and sync', (engine) => {
  let shop: Shop;
  let env: Record<string, string>;
  before(async () => {
    shop = await openShop(engine);
    const { dataDir, databaseUrl } = shop.service.database;
    const { secretKey, pricePro, priceBusiness, apiUrl } = shop.sandbox.settings();
    env = {
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_PRICE_PRO: pricePro,
      STRIPE_PRICE_BUSINESS: priceBusiness,
      STRIPE_API_URL: apiUrl,
    };
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

  test('a cancelled plan stays after its end, until the event of its end arrives', async () => {
    const subject = randomUUID();
    const session = await shop.service.signIn({ plan: 'free', subject });
    await shop.buy(session, 'pro');
    await shop.press(session, 'cancel-at-period-end');
    shop.sandbox.setDeliveries({ hold: true });
    shop.clock.advance(100 * DAY);
    const later = await shop.service.signIn({ plan: 'free', subject });
    await doEverythingElse(later);
    assert.equal(await planOf(later), 'pro');
    shop.sandbox.setDeliveries({ release: true });
    await shop.sandbox.settled();
    const { plan, billing } = await shop.account(later);
    assert.deepEqual([plan.id, billing.status, billing.cancelAtPeriodEnd], ['free', 'canceled', false]);
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
    shop.clock.advance(60_000);
    await doEverythingElse(session);
    assert.equal(await planOf(session), 'pro');
    shop.sandbox.setDeliveries({ release: true });
    await shop.sandbox.settled();
    assert.equal(await planOf(session), 'business');
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

  test('the command reports a subscription that the provider does not know, until it has ended, and changes nothing', async () => {
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
    const report = await run(['billing', 'sync'], env);
    assert.equal(report.code, 0, report.stderr);
    assert.match(report.stdout, /^sub_of_another_life of account \S+: active pro → none: differs$/m);
    assert.match(report.stdout, /^Differences: 1\. Nothing was changed: a plan changes only after a signed event\./m);
    assert.match(report.stdout, /stripe events resend <event id>/);
    const listed: Difference[] = JSON.parse((await run(['billing', 'sync', '--json'], env)).stdout);
    assert.deepEqual(
      listed.map(({ subscriptionId, provider, result }) => [subscriptionId, provider, result]),
      [[object.id, null, 'differs']],
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

  test('replay applies an event again, but never over a newer state', async () => {
    const { session, accountId, subscription } = await subscribe('pro');
    const { billing } = shop.service.services;
    const [first] = (await billing.listEvents({ accountId, limit: 10 })).filter(({ kind }) => kind.endsWith('created'));
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

test('sync has no option that applies differences', async () => {
  for (const option of ['--apply', '--yes', '--dry-run']) {
    assert.equal((await run(['billing', 'sync', option])).code, 2, option);
  }
});
