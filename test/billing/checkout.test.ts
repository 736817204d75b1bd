import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { createCheckout } from '../../src/billing/checkout.ts';
import type { Provider } from '../../src/billing/provider.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { PRICES } from '../harness/payment-events.ts';

/** The type makes the table complete: it has to name every status that Stripe has. */
const PAGES: Readonly<Record<Stripe.Subscription.Status, 'portal' | 'checkout'>> = {
  active: 'portal',
  trialing: 'portal',
  past_due: 'portal',
  unpaid: 'portal',
  paused: 'portal',
  canceled: 'checkout',
  incomplete: 'checkout',
  incomplete_expired: 'checkout',
};

for (const [status, page] of Object.entries(PAGES)) {
  test(`a customer with a subscription that is ${status} is sent to the ${page} page`, async () => {
    const database = await createDatabase('sqlite');
    const clock = testClock();
    const db = openStore('accounts', database);
    await migrate(db, readMigrations('accounts'), clock);
    const accountId = randomUUID();
    await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', 0)", [accountId]);

    const subscription = {
      id: 'sub_1',
      customerId: 'cus_1',
      accountId,
      status,
      plan: 'pro',
      periodStart: null,
      periodEnd: null,
      cancelAtPeriodEnd: false,
    } as const;
    const provider: Provider = {
      isConfigured: () => true,
      createCustomer: async () => 'cus_1',
      createCheckout: async () => 'https://pay.test/checkout',
      createPortal: async () => 'https://pay.test/portal',
      listSubscriptions: async () => [{ subscription, asOf: 0 }],
      readSubscription: async () => undefined,
      listAll: async function* () {},
    };
    const settings = () => ({
      secretKey: 'sk_test',
      webhookSecrets: [],
      prices: { pro: [PRICES.pro], business: [PRICES.business] },
      apiUrl: undefined,
    });
    const { openCheckout } = createCheckout({ db, clock, provider, settings });
    const context = { publicUrl: 'https://api.test', requestId: randomUUID() };
    assert.equal(await openCheckout({ accountId, email: null }, 'business', context), `https://pay.test/${page}`);
    await db.close();
    await database.remove();
  });
}
