import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { registerApi } from './api.ts';
import { registerCheckoutPages } from './checkout-pages.ts';
import { createDeliveries } from './deliveries.ts';
import { openLedger } from './ledger.ts';
import { MOUNT } from './page-frame.ts';
import { registerPortalPages } from './portal-pages.ts';
import { PRICE_BUSINESS, PRICE_PRO } from './prices.ts';
import { registerSandboxControls } from './sandbox-controls.ts';

/**
 * The demo's payment provider: the part of Stripe that the service needs, with hosted pages and signed webhooks, in which
 * the money is play money. The service talks to it through Stripe's own SDK and knows no difference.
 */
export interface PaymentSandboxOptions {
  /** Must be true: the sandbox takes play money, so it refuses to run anywhere else. */
  readonly demo: boolean;
  /** State and secrets are kept in `payments.json` there. */
  readonly dataDir: string;
  /** The address of the server it is mounted on, known only once that listens. */
  readonly baseUrl: () => string;
  /** Where events go. */
  readonly webhookUrl: () => string;
  readonly clock?: Clock;
  readonly log: Log;
  /** Waits between attempts to deliver an event. */
  readonly retryDelaysMs?: readonly number[];
}

export interface PaymentSandbox {
  /** What the service has to know to use it. */
  readonly settings: () => PaymentSandboxSettings;
  /** Resolves when no delivery is under way or waiting for another attempt. */
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

export function registerPaymentSandbox(app: FastifyInstance, options: PaymentSandboxOptions): PaymentSandbox {
  const { demo, dataDir, baseUrl, webhookUrl, clock = systemClock, log, retryDelaysMs = RETRY_DELAYS_MS } = options;
  if (!demo) throw new Error('The payment sandbox takes play money: it runs in the demo only (serve --demo).');
  const ledger = openLedger(dataDir, clock);
  const deliveries = createDeliveries({ ledger, webhookUrl, clock, log, retryDelaysMs });
  const address = () => baseUrl() + MOUNT;

  ledger.onChange(() => deliveries.wake());
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    registerApi(scope, MOUNT, { ledger, address });
    registerSandboxControls(scope, MOUNT, { ledger, deliveries });
    registerCheckoutPages(scope, ledger);
    registerPortalPages(scope, { ledger, deliveries });
  });
  // What the last run left undelivered: whoever takes it may be on this very server.
  app.addHook('onListen', async () => deliveries.wake());

  const close = async () => {
    await deliveries.close();
    ledger.close();
  };
  // Before the server waits for requests under way: some may be our own deliveries.
  app.addHook('preClose', close);
  const { secretKey, webhookSecret } = ledger.state;
  const prices = { pricePro: PRICE_PRO, priceBusiness: PRICE_BUSINESS } as const;
  return {
    settings: () => ({ secretKey, webhookSecret, ...prices, apiUrl: address() }),
    settled: () => deliveries.settled(),
    close,
  };
}

const FORM = 'application/x-www-form-urlencoded';
