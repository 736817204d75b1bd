import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createApplier } from '../../src/billing/apply.ts';
import { readEvent } from '../../src/billing/events.ts';
import { createExpiry } from '../../src/billing/expiry/expiry.ts';
import type { Provider } from '../../src/billing/provider.ts';
import { insertEvent, listSubscriptions, listUnsettled } from '../../src/billing/store.ts';
import { readSubscription } from '../../src/billing/subscription.ts';
import { createSync } from '../../src/billing/sync.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { PRICES, renderEvent, renderSubscription } from '../harness/payment-events.ts';
import { planOfPrice } from './history.ts';

/** The provider answers with a price that is not configured: it does not say which plan it buys, so the stored plan stays. */
const DAY = 86_400_000;
const UNKNOWN = 'price_of_another_product';

async function openShop(engine: (typeof engines)[number]) {
  const clock = testClock();
  const database = await createDatabase(engine, { migrated: true });
  const db = openStore('accounts', database);
  const accountId = randomUUID();
  const id = `sub_${accountId}`;
  await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)", [accountId, clock.now()]);
  const second = () => Math.floor(clock.now() / 1_000);
  const period = [second(), second() + 30 * 86_400] as const;
  const render = (price: string) => renderSubscription({ id, accountId, price, period });
  const applier = createApplier({ db, clock, graceMs: 0, ask: async () => undefined, onChange: () => undefined });
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (...line: unknown[]) => void warnings.push(String(line[1])) };
  const provider = {
    isConfigured: () => true,
    readSubscription: async () => ({
      subscription: readSubscription(render(UNKNOWN), planOfPrice) ?? assert.fail(),
      asOf: second() - 2,
    }),
  } as unknown as Provider;
  return {
    clock,
    db,
    warnings,
    sync: createSync({ db, clock, log, provider, planOfPrice, applier }),
    expiry: createExpiry({ db, clock, log, provider, applier, graceMs: 0 }),
    async send(price: string) {
      const text = renderEvent({ type: 'customer.subscription.updated', created: second(), object: render(price) });
      const event = readEvent(text, planOfPrice);
      await insertEvent(db, event, text, clock.now());
      await applier.applyEvent(event);
    },
    async readPlans() {
      const account = await db.one<{ plan: string }>('SELECT plan FROM accounts WHERE id = $1', [accountId]);
      return [account?.plan, (await listSubscriptions(db, accountId))[0]?.plan];
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await database.remove();
    },
  };
}

for (const engine of engines) {
  describe(`an answer of the provider with an unknown price, on ${engine}`, () => {
    test('settles a tie between two events: the plan of the last one stays, and the provider is not asked again', async () => {
      await using shop = await openShop(engine);
      await shop.send(PRICES.pro);
      await shop.send(PRICES.business);
      assert.equal((await listUnsettled(shop.db, 10)).length, 1, 'the provider could not be asked yet');
      shop.clock.advance(60_000);
      await shop.sync.recover();
      assert.deepEqual(await shop.readPlans(), ['business', 'business']);
      assert.deepEqual(await listUnsettled(shop.db, 10), []);
    });

    test('confirms the plan of an overdue subscription, with a warning', async () => {
      await using shop = await openShop(engine);
      await shop.send(PRICES.pro);
      shop.clock.advance(31 * DAY);
      await shop.expiry.checkOverdue();
      // Without the confirmation, the plan would have ended by then.
      shop.clock.advance(6.5 * DAY);
      await shop.expiry.endPlans();
      assert.deepEqual(await shop.readPlans(), ['pro', 'pro']);
      assert.match(shop.warnings.join('\n'), /keeps its plan: its price is not configured/);
    });
  });
}
