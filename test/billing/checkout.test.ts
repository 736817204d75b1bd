import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createCheckout, type Provider } from '../../src/billing/provider.ts';
import { holdCustomer, holdSubscription, writeSubscription } from '../../src/billing/store.ts';
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

const SUBSCRIPTION = {
  id: 'sub_1',
  customerId: 'cus_1',
  accountId: null,
  plan: 'pro',
  periodStart: null,
  periodEnd: null,
  cancelAtPeriodEnd: false,
} as const;

const page = (name: string) => `https://pay.test/${name}`;

/** A checkout with a store of its own, an account, and a provider that answers as given. */
async function openShop(answers: Partial<Provider>) {
  const database = await createDatabase('sqlite');
  const clock = testClock();
  const db = openStore('accounts', database);
  await migrate(db, loadMigrations('accounts'), clock);
  const accountId = randomUUID();
  await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', 0)", [accountId]);
  const provider: Provider = {
    isConfigured: () => true,
    createCustomer: async () => 'cus_1',
    createCheckout: async () => page('checkout'),
    createPortal: async () => page('portal'),
    listSubscriptions: async () => [],
    findSubscription: async () => undefined,
    listAll: async function* () {},
    ...answers,
  };
  const settings = () => ({
    secretKey: 'sk_test',
    webhookSecrets: [],
    prices: { pro: [PRICES.pro], business: [PRICES.business] },
    apiUrl: undefined,
  });
  const { openCheckout } = createCheckout({ db, clock, provider, settings }, 60_000);
  return {
    db,
    accountId,
    async buy() {
      const context = { publicUrl: 'https://api.test', requestId: randomUUID() };
      return openCheckout({ accountId, email: null }, 'business', context);
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

for (const [status, page] of Object.entries(PAGES)) {
  test(`a customer with a subscription that is ${status} is sent to the ${page} page`, async () => {
    const subscription = { ...SUBSCRIPTION, status };
    await using shop = await openShop({ listSubscriptions: async () => [subscription] });
    assert.equal(await shop.buy(), `https://pay.test/${page}`);
  });
}

test('a customer that the provider has deleted is replaced by a new one', async () => {
  /** Like Stripe: the same idempotency key returns the same customer, even a deleted one. */
  const byKey = new Map<string, string>();
  const deleted = new Set<string>();
  await using shop = await openShop({
    async createCustomer(_accountId, _email, idempotencyKey) {
      const id = byKey.get(idempotencyKey) ?? `cus_${byKey.size + 1}`;
      byKey.set(idempotencyKey, id);
      return id;
    },
    listSubscriptions: async (id) => (deleted.has(id) ? undefined : []),
    createCheckout: async ({ customerId }) => page(customerId),
  });
  assert.equal(await shop.buy(), 'https://pay.test/cus_1');
  deleted.add('cus_1');
  assert.equal(await shop.buy(), 'https://pay.test/cus_2');
});

test('of several customers of an account, the one with a live subscription is used', async () => {
  await using shop = await openShop({ createCheckout: async ({ customerId }) => page(customerId) });
  const { db, accountId } = shop;
  for (const [linkedAt, id] of ['cus_live', 'cus_newer'].entries()) await holdCustomer(db, id, accountId, linkedAt);
  assert.equal(await shop.buy(), 'https://pay.test/cus_newer');
  await holdSubscription(db, SUBSCRIPTION.id);
  const state = { ...SUBSCRIPTION, customerId: 'cus_live', status: 'active' };
  await writeSubscription(db, { state, position: { asOf: 1, eventRank: 1, eventId: null } }, 'settled');
  assert.equal(await shop.buy(), 'https://pay.test/cus_live');
});
