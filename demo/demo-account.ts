import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Accounts } from '../src/accounts/accounts.ts';
import type { NamedSecrets } from '../src/accounts/named-secrets.ts';
import type { Clock } from '../src/base/clock.ts';
import type { AccountTerms } from '../src/base/usage.ts';
import type { Billing } from '../src/billing/billing.ts';
import type { Buyer } from '../src/billing/provider.ts';
import type { Webhooks } from '../src/watch/webhooks/webhooks.ts';
import { claimsOf, type IdentityKeys, saveIssuer, signSessionToken } from './identity/keys.ts';
import { issuerAt } from './identity/provider.ts';
import type { PaymentSandbox } from './payments/sandbox.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** The content of `demo.json`: what scripts need to use a running demo. */
export interface DemoAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly sessionToken: string;
  readonly webhookSecret: string;
}

const DEMO_EMAIL = 'demo@example.com';
const KEY_NAME = 'Demo';
const TOKEN_SECONDS = 30 * 86_400;

interface DemoParts {
  readonly accounts: Accounts;
  readonly apiKeys: NamedSecrets;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly billing: Billing;
  readonly keys: IdentityKeys;
  readonly sandbox: PaymentSandbox;
  readonly baseUrl: string;
  readonly webhooks: Pick<Webhooks, 'list' | 'create' | 'update'>;
  /** Where the demo receives webhooks. */
  readonly receiverUrl: string;
}

/**
 * Creates the demo's user, account and API key on the first start. Only `demo.json` has the secret of the key: while
 * the file exists, the key stays the same; without it, the key is replaced.
 */
export async function prepareDemoAccount(
  parts: DemoParts,
): Promise<{ access: DemoAccess; secret: string | undefined }> {
  const { accounts, clock, dataDir, keys, sandbox, baseUrl } = parts;
  const issuer = issuerAt(baseUrl);
  // The issuer contains the port. When the port changes, existing users are assigned to the new issuer: otherwise they would get new
  // accounts at their next sign-in.
  if (keys.issuer !== null && keys.issuer !== issuer) await accounts.moveIssuer(keys.issuer, issuer);
  saveIssuer(dataDir, keys, issuer);

  const { sub: subject, email, name } = claimsOf(DEMO_EMAIL);
  const { account } = await accounts.signIn({ issuer, subject, email, name });
  await buyPlan(parts, { accountId: account.accountId, email });
  const access = {
    baseUrl,
    apiKey: await findOrCreateKey(parts, account.accountId),
    sessionToken: await signSessionToken(keys, { issuer, email, now: clock.now(), lifeSeconds: TOKEN_SECONDS }),
    webhookSecret: sandbox.settings().webhookSecret,
  };
  writePrivateFile(pathOf(dataDir), access);
  const terms = (await accounts.findTerms(account.accountId)) ?? account;
  return { access, secret: await prepareEndpoint(parts, terms) };
}

export function readDemoAccess(dataDir: string): DemoAccess | undefined {
  const stored = readPrivateFile(pathOf(dataDir)) as Partial<DemoAccess> | undefined;
  return typeof stored?.baseUrl === 'string' ? (stored as DemoAccess) : undefined;
}

async function findOrCreateKey({ apiKeys, dataDir }: DemoParts, accountId: string): Promise<string> {
  const stored = readDemoAccess(dataDir)?.apiKey;
  if (typeof stored === 'string' && (await apiKeys.findKey(stored))?.accountId === accountId) return stored;
  for (const { id, name } of await apiKeys.list(accountId)) if (name === KEY_NAME) await apiKeys.revoke(accountId, id);
  return (await apiKeys.create(accountId, KEY_NAME, true)).secret;
}

/**
 * Puts the demo's account on the largest plan by a purchase on the sandbox's page, so that a signed event grants it. It
 * buys only once: if a user of the demo cancels the subscription, it stays cancelled.
 */
async function buyPlan({ billing, sandbox, baseUrl }: DemoParts, buyer: Buyer): Promise<void> {
  if ((await billing.readBilling(buyer.accountId)).status !== 'none') return;
  const context = { publicUrl: baseUrl, requestId: randomUUID() };
  const page = await billing.openCheckout(buyer, 'business', context);
  const body = new URLSearchParams({ email: DEMO_EMAIL, card: '4242 4242 4242 4242' });
  const paid = await fetch(page, { method: 'POST', body, redirect: 'manual' });
  if (paid.status !== 303) throw new Error(`the payment sandbox rejected the demo's card (${paid.status})`);
  await sandbox.settled();
}

/**
 * Creates an endpoint that sends to the demo itself, once, and returns its secret. If a user of the demo deletes it, it stays deleted, and
 * if its secret was rotated, the receiver has to be given the new one.
 */
async function prepareEndpoint(parts: DemoParts, account: AccountTerms): Promise<string | undefined> {
  const { webhooks, dataDir, receiverUrl } = parts;
  const path = join(dataDir, 'demo-webhooks.json');
  const stored = readPrivateFile(path) as { id: string; secret: string } | undefined;
  const all = await webhooks.list(account.accountId);
  const own = all.find(({ id }) => id === stored?.id);
  if (stored !== undefined) {
    // The address contains the port.
    if (own !== undefined && own.url !== receiverUrl) {
      await webhooks.update(account.accountId, own.id, { url: receiverUrl });
    }
    return stored.secret;
  }
  if (all.length >= account.plan.maxApiKeys) return undefined;
  const description = 'The receiver of this demo';
  const { id, secret } = await webhooks.create(account, { url: receiverUrl, description });
  writePrivateFile(path, { id, secret });
  return secret;
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
