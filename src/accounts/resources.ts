import { hash } from 'node:crypto';
import type { Transaction } from '../base/db/db.ts';
import { fail } from '../base/errors.ts';
import { describeLimit, formatAmount } from '../base/plans.ts';
import type { AccountTerms } from '../base/usage.ts';
import { claimIdempotencyKey, deleteExpiredKeys } from './store.ts';

/**
 * The kinds of resources that an account creates, lists, reads, changes and deletes by id. `limit` is the field of the plan that bounds their number.
 * Programs send API keys in a header. Reconcile links are addresses for programs that cannot send headers, such as OpenRefine: the secret is a part of
 * the path, and good for reconciliation only, so an address that ends up in a browser's history or a shared project does not reveal an API key.
 */
export const resources = {
  api_key: { noun: 'API key', limit: 'maxApiKeys', ends: 'revoke' },
  reconcile_link: { noun: 'reconcile link', limit: 'maxApiKeys', ends: 'revoke' },
  monitor: { noun: 'monitor', limit: 'maxMonitors', ends: 'delete' },
  webhook_endpoint: { noun: 'webhook endpoint', limit: 'maxApiKeys', ends: 'delete' },
} as const;

/** The reply to a creation or renewal. No later reply contains the secret: we store its hash, or the sealed secret if we sign with it. */
export type WithSecret<T> = T & { readonly secret: string };

type ResourceKind = keyof typeof resources;

interface Creation {
  readonly kind: ResourceKind;
  readonly id: string;
  /** The client's `Idempotency-Key`. Without one, the request is carried out every time. */
  readonly key: string | undefined;
  readonly now: number;
}

const KEPT_MS = 86_400_000;
const MAX_DELETED = 100;

/**
 * Takes the client's key, in the transaction that creates the resource, so that both are stored or neither. Throws `idempotency_key_reused` with the id
 * of the resource that another request created with the key in the last 24 hours. Waits for a request that has not committed yet. Replies are not
 * stored: they may contain a secret, which is returned only once.
 */
export async function takeKey(tx: Transaction, accountId: string, { kind, id, key, now }: Creation, step = '') {
  if (key === undefined) return;
  const name = hash('sha256', JSON.stringify([accountId, kind + step, key]), 'hex');
  const resourceId = await claimIdempotencyKey(tx, { name, id, expiresAt: now + KEPT_MS }, now);
  if (resourceId !== id) {
    const message =
      `A request with this Idempotency-Key has already made ${resourceId}. If you need a secret from its reply, remove what it made and ` +
      'send a new request with a new key.';
    throw fail('idempotency_key_reused', { message, resourceId });
  }
  // Only one transaction at a time deletes rows: two could lock the same rows in a different order.
  if (await tx.claim('idempotency keys')) await deleteExpiredKeys(tx, now, MAX_DELETED);
}

/** Throws the kind's `…_limit_reached` if an account with `count` resources of this kind may not create another. The caller locks the count. */
export function requireRoom(kind: ResourceKind, { plan }: Pick<AccountTerms, 'plan'>, count: number): void {
  const { limit, noun, ends } = resources[kind];
  if (count < plan[limit]) return;
  const counted = formatAmount(plan[limit], ends === 'revoke' ? `active ${noun}` : noun);
  throw fail(`${kind}_limit_reached`, { message: describeLimit(plan, counted, `${ends} one first`) });
}

/** Returns `found`, or throws the kind's `…_not_found`, which is also the error for a resource of another account. */
export function requireFound<T>(kind: ResourceKind, found: T | undefined | false): T {
  if (found === undefined || found === false) throw fail(`${kind}_not_found`);
  return found;
}
