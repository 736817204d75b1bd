import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import {
  operatePortal,
  payCheckout,
  type SandboxSettings,
  startPaymentSandbox,
  type TestPaymentSandbox,
} from '../demo/payments.ts';
import { type TestClock, testClock } from '../harness/clock.ts';
import type { Engine } from '../harness/databases.ts';
import { startService, type TestService, type TestServiceOptions, type TestSession } from '../harness/service.ts';

/** The service and a payment sandbox on separate servers, connected by addresses and secrets only, as with Stripe. */
export interface Shop {
  readonly service: TestService;
  readonly sandbox: TestPaymentSandbox;
  readonly clock: TestClock;
  /** Stops the sandbox, and starts it again at the same address with the state it kept. */
  closeSandbox(): Promise<void>;
  reopenSandbox(): Promise<TestPaymentSandbox>;
  open(path: 'checkout' | 'portal', session: TestSession, body?: object): Promise<string>;
  /** Buys a plan on the checkout page and waits for the webhook. */
  buy(session: TestSession, plan: 'pro' | 'business'): Promise<void>;
  /** Presses a button of the customer portal and waits for the webhook. */
  press(session: TestSession, action: string, fields?: Record<string, string>): Promise<void>;
  account(session: TestSession): Promise<ShopAccount>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ShopAccount {
  readonly id: string;
  readonly plan: { readonly id: string };
  readonly billing: {
    readonly status: string;
    readonly currentPeriodEnd: string | null;
    readonly cancelAtPeriodEnd: boolean;
    readonly portalAvailable: boolean;
  };
}

export async function openShop(engine: Engine, options: TestServiceOptions = {}): Promise<Shop> {
  // Service and sandbox share one clock, because signatures are checked against the time.
  const clock = testClock(new Date(systemClock.now()).toISOString());
  let service: TestService | undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-'));
  const settings: SandboxSettings = { clock, dataDir, webhookUrl: () => `${service?.url}/api/v1/billing/webhook` };
  let sandbox = await startPaymentSandbox(settings);
  const { secretKey, webhookSecret, pricePro, priceBusiness, apiUrl } = sandbox.settings();
  const env = {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_PRO: pricePro,
    STRIPE_PRICE_BUSINESS: priceBusiness,
    STRIPE_API_URL: apiUrl,
  };
  service = await startService(engine, { ...options, movesTime: true, clock, env: { ...env, ...options.env } });
  const { client } = service;

  const open: Shop['open'] = async (path, { headers }, json) => {
    const reply = await client.request('POST', `/api/v1/billing/${path}`, { headers, json });
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
    return reply.body.data.url;
  };
  const port = Number(new URL(sandbox.url).port);

  return {
    service,
    get sandbox() {
      return sandbox;
    },
    clock,
    open,
    closeSandbox: () => sandbox.stop(),
    async reopenSandbox() {
      sandbox = await startPaymentSandbox({ ...settings, port });
      return sandbox;
    },
    async buy(session, plan) {
      const page = await payCheckout(await open('checkout', session, { plan }));
      if (page.status !== 303) throw new Error(`the payment failed: ${page.status}`);
      await sandbox.settled();
    },
    async press(session, action, fields) {
      await operatePortal(await open('portal', session), action, fields);
      await sandbox.settled();
    },
    async account(session) {
      return (await client.get('/api/v1/account', { headers: session.headers })).body.data;
    },
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      await service[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
