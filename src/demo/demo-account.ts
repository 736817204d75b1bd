import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Accounts } from '../accounts/accounts.ts';
import type { ApiKeys } from '../accounts/api-keys.ts';
import type { Billing } from '../billing/billing.ts';
import type { Buyer } from '../billing/checkout.ts';
import type { Clock } from '../core/clock.ts';
import { claimsOf, type IdentityKeys, keepIssuer, signSessionToken } from './identity/keys.ts';
import { issuerAt } from './identity/provider.ts';
import type { PaymentSandbox } from './payments/sandbox.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** What scripts need to use a running demo, as written to `demo.json`. */
export interface DemoAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly sessionToken: string;
  readonly webhookSecret: string;
}

export const DEMO_EMAIL = 'demo@example.com';
const KEY_NAME = 'Demo';
const TOKEN_SECONDS = 30 * 86_400;

export interface DemoParts {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly billing: Billing;
  readonly keys: IdentityKeys;
  readonly sandbox: PaymentSandbox;
  readonly baseUrl: string;
}

/**
 * The demo's user, account and API key, made once. The key's secret is known to `demo.json` alone: as long as that is
 * there the key stays the same, without it a new one takes its place.
 */
export async function prepareDemoAccount(parts: DemoParts): Promise<DemoAccess> {
  const { accounts, clock, dataDir, keys, sandbox, baseUrl } = parts;
  const issuer = issuerAt(baseUrl);
  // On another port the provider has another name, and everybody would be a stranger.
  if (keys.issuer !== null && keys.issuer !== issuer) await accounts.moveIssuer(keys.issuer, issuer);
  keepIssuer(dataDir, keys, issuer);

  const { sub: subject, email, name } = claimsOf(DEMO_EMAIL);
  const { account } = await accounts.signIn({ issuer, subject, email, name });
  await buyPlan(parts, { accountId: account.accountId, email });
  const access = {
    baseUrl,
    apiKey: await keepKey(parts, account.accountId),
    sessionToken: await signSessionToken(keys, { issuer, email, now: clock.now(), lifeSeconds: TOKEN_SECONDS }),
    webhookSecret: sandbox.settings().webhookSecret,
  };
  writePrivateFile(pathOf(dataDir), access);
  return access;
}

export function readDemoAccess(dataDir: string): DemoAccess | undefined {
  const kept = readPrivateFile(pathOf(dataDir)) as Partial<DemoAccess> | undefined;
  return typeof kept?.baseUrl === 'string' ? (kept as DemoAccess) : undefined;
}

async function keepKey({ apiKeys, dataDir }: DemoParts, accountId: string): Promise<string> {
  const kept = readDemoAccess(dataDir)?.apiKey;
  if (typeof kept === 'string' && (await apiKeys.findKey(kept))?.accountId === accountId) return kept;
  for (const { id, name } of await apiKeys.list(accountId)) if (name === KEY_NAME) await apiKeys.revoke(accountId, id);
  return (await apiKeys.create(accountId, KEY_NAME)).secret;
}

/**
 * The demo's account is on the largest plan, bought once on the sandbox's page as anybody buys it; the signed event
 * that follows grants it. Who has cancelled it since, has cancelled it.
 */
async function buyPlan({ billing, sandbox, baseUrl }: DemoParts, buyer: Buyer): Promise<void> {
  if ((await billing.readBilling(buyer.accountId)).status !== 'none') return;
  const context = { publicUrl: baseUrl, requestId: randomUUID() };
  const page = await billing.openCheckout(buyer, 'business', context);
  const body = new URLSearchParams({ email: DEMO_EMAIL, card: '4242 4242 4242 4242' });
  const paid = await fetch(page, { method: 'POST', body, redirect: 'manual' });
  if (paid.status !== 303) throw new Error(`the payment sandbox refuses the demo's card (${paid.status})`);
  await sandbox.settled();
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
