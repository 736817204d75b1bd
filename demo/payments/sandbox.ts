import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import type { App } from '../../src/http/app.ts';
import { registerApi } from './api.ts';
import { registerCheckoutPages } from './checkout-pages.ts';
import { createDeliveries, type DeliveryChanges } from './deliveries.ts';
import { openLedger } from './ledger.ts';
import { MOUNT } from './page-frame.ts';
import { registerPortalPages } from './portal-pages.ts';
import { PRICE_BUSINESS, PRICE_PRO } from './prices.ts';

/**
 * The demo's payment provider: the part of Stripe that the service uses, with hosted pages and signed webhooks, and no
 * real money. The service talks to it through Stripe's own SDK and cannot tell the difference. This folder owns
 * everything behind `/demo/payments`; it knows nothing about accounts or plans here.
 */
interface PaymentSandboxOptions {
  /** Must be true: the sandbox takes no real money, so it must not run outside the demo. */
  readonly demo: boolean;
  /** State and secrets are kept in `payments.json` in this folder. */
  readonly dataDir: string;
  /** The address of the server it is mounted on, known only once the server listens. */
  readonly baseUrl: () => string;
  /** Where events are sent to. */
  readonly webhookUrl: () => string;
  readonly clock?: Clock;
  readonly log: Log;
  /** Delays before the second, third, … attempt to deliver an event. */
  readonly retryDelaysMs?: readonly number[];
}

export interface PaymentSandbox {
  /** What the service has to be configured with. */
  readonly settings: () => PaymentSandboxSettings;
  /** Makes deliveries fail as a network might. */
  setDeliveries(changes: DeliveryChanges): void;
  /** Resolves when no delivery is running or waiting for a retry. */
  settled(): Promise<void>;
  /** Stops deliveries; undelivered events are kept on disk and delivered after the next start. */
  close(): Promise<void>;
}

export interface PaymentSandboxSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly pricePro: 'price_demo_pro';
  readonly priceBusiness: 'price_demo_business';
  readonly apiUrl: string;
}

const RETRY_DELAYS_MS = [500, 2_000, 10_000, 60_000, 300_000];

export function registerPaymentSandbox(app: App, options: PaymentSandboxOptions): PaymentSandbox {
  const { demo, dataDir, baseUrl, webhookUrl, clock = systemClock, log, retryDelaysMs = RETRY_DELAYS_MS } = options;
  if (!demo) throw new Error('The payment sandbox takes no real money: it runs in the demo only (serve --demo).');
  const ledger = openLedger(dataDir, clock);
  const deliveries = createDeliveries({ ledger, webhookUrl, clock, log, retryDelaysMs });
  const address = () => baseUrl() + MOUNT;

  ledger.onChange(() => deliveries.wake());
  const scope = app.scope({ bodies: { 'application/x-www-form-urlencoded': (bytes) => bytes.toString() } });
  registerApi(scope, MOUNT, { ledger, address });
  registerCheckoutPages(scope, ledger);
  registerPortalPages(scope, ledger);
  // Deliver what the last run left undelivered. Not earlier: the webhook may be on this very server.
  app.server.once('listening', () => deliveries.wake());

  const close = async () => {
    await deliveries.close();
    ledger.close();
  };
  // Before the server waits for running requests: some of them may be our own deliveries.
  app.onClose(close, 'before');
  const { secretKey, webhookSecret } = ledger.state;
  const prices = { pricePro: PRICE_PRO, priceBusiness: PRICE_BUSINESS } as const;
  return {
    settings: () => ({ secretKey, webhookSecret, ...prices, apiUrl: address() }),
    setDeliveries: (changes) => deliveries.configure(changes),
    settled: () => deliveries.settled(),
    close,
  };
}
