import { join } from 'node:path';
import type { PaymentSettings } from '../src/billing/provider.ts';
import { readDemoAccess } from './demo-account.ts';
import { MOUNT } from './payments/page-frame.ts';
import { PRICE_BUSINESS, PRICE_PRO } from './payments/prices.ts';
import type { PaymentSandboxSettings } from './payments/sandbox.ts';
import { readPrivateFile } from './private-file.ts';

/** The service's settings for the sandbox. */
export function paymentSettings({
  secretKey,
  webhookSecret,
  apiUrl,
  ...prices
}: PaymentSandboxSettings): PaymentSettings {
  return {
    secretKey,
    webhookSecrets: [webhookSecret],
    prices: { pro: [prices.pricePro], business: [prices.priceBusiness] },
    apiUrl,
    movesTime: true,
  };
}

/** The settings for the sandbox of a demo in another process; undefined if no demo has run with this folder. */
export function readDemoPayments(dataDir: string): PaymentSettings | undefined {
  const stored = readPrivateFile(join(dataDir, 'payments.json')) as Partial<PaymentSandboxSettings> | undefined;
  const baseUrl = readDemoAccess(dataDir)?.baseUrl;
  if (baseUrl === undefined || stored?.secretKey === undefined || stored.webhookSecret === undefined) return undefined;
  const { secretKey, webhookSecret } = stored;
  const prices = { pricePro: PRICE_PRO, priceBusiness: PRICE_BUSINESS } as const;
  return paymentSettings({ secretKey, webhookSecret, apiUrl: baseUrl + MOUNT, ...prices });
}
