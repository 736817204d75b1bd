import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { run } from '../harness/process.ts';
import type { TestSession } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';

for (const engine of usualEngines) {
  describe(`firmament billing on ${engine}`, () => {
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

    const billing = (...args: string[]) => run(['billing', ...args], env);
    const planOf = async (session: TestSession) => (await shop.account(session)).plan.id;

    let events = 0;
    /** Puts an account on the pro plan by a signed event about a subscription that the provider does not know. */
    async function subscribe(session: TestSession): Promise<string> {
      const id = `sub_unknown_${++events}`;
      const { accountId } = session.account;
      const items = { data: [{ price: { id: 'price_demo_pro' } }] };
      const object = { id, customer: `cus_${id}`, status: 'active', metadata: { accountId }, items };
      const created = Math.floor(shop.clock.now() / 1_000);
      const body = renderEvent({ id: `evt_${id}`, type: 'customer.subscription.created', created, object });
      const headers = { 'payment-signature': sign(body, shop.clock.now(), shop.sandbox.settings().webhookSecret) };
      const reply = await shop.service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
      assert.equal(reply.status, 200);
      assert.equal(await planOf(session), 'pro');
      return id;
    }

    test('sync reports differences and changes nothing', async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const id = await subscribe(session);
      const report = await billing('sync');
      assert.equal(report.code, 0, report.stderr);
      assert.match(report.stdout, new RegExp(`^${id} of account \\S+: active pro → none: differs$`, 'm'));
      assert.match(report.stdout, /^Differences: 1\. Nothing was changed: a plan changes only after a signed event\./m);
      assert.match(report.stdout, /stripe events resend <event id>/);
      const listed = JSON.parse((await billing('sync', '--json')).stdout);
      assert.deepEqual(
        listed.map((each: { subscriptionId: string; result: string }) => [each.subscriptionId, each.result]),
        [[id, 'differs']],
      );
      assert.equal(await planOf(session), 'pro');
    });

    test('replay says why an old event cannot be replayed', async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const id = await subscribe(session);
      shop.clock.advance(91 * 86_400_000);
      await shop.service.services.billing.reduceOldEvents();
      const refused = await billing('replay', `evt_${id}`);
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^evt_\S+ cannot be replayed: its payload was removed on \d{4}-\d\d-\d\d, because it was older than WEBHOOK_DAYS\./,
      );
      assert.match(
        (await billing('events')).stdout,
        new RegExp(`^evt_${id} .* payload removed on \\d{4}-\\d\\d-\\d\\d$`, 'm'),
      );
    });
  });
}

test('sync has no option that applies differences', async () => {
  for (const option of ['--apply', '--yes', '--dry-run']) {
    assert.equal((await run(['billing', 'sync', option])).code, 2, option);
  }
});
