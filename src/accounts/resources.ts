import type { Transaction } from '../base/db/db.ts';
import { takeIdempotencyKey } from '../base/db/idempotency.ts';
import { type ErrorCode, fail } from '../base/errors.ts';
import { describeLimit, formatAmount, type Plan } from '../base/plans.ts';
import type { AccountTerms } from '../base/usage.ts';

/**
 * What an account creates, lists, reads, changes and deletes by id. Each kind is an entry of this table. Programs send API keys in a header.
 * Reconcile links are addresses for programs that cannot, such as OpenRefine: the secret is a part of the path, and good for reconciliation
 * only, so an address that ends up in a browser's history or a shared project does not reveal an API key.
 */
export const resources = {
  api_key: {
    noun: 'API key',
    /** As the message about the limit counts them. */
    counted: 'active API key',
    limit: ({ maxApiKeys }: Plan) => maxApiKeys,
    remedy: 'revoke one first',
    /** The `operationId` of its creation in the contract. */
    operation: 'createApiKey',
    notFound: 'api_key_not_found',
    limitReached: 'api_key_limit_reached',
  },
  reconcile_link: {
    noun: 'reconcile link',
    counted: 'active reconcile link',
    limit: ({ maxApiKeys }: Plan) => maxApiKeys,
    remedy: 'revoke one first',
    operation: 'createReconcileLink',
    notFound: 'reconcile_link_not_found',
    limitReached: 'reconcile_link_limit_reached',
  },
  monitor: {
    noun: 'monitor',
    counted: 'monitor',
    limit: ({ maxMonitors }: Plan) => maxMonitors,
    remedy: 'delete one first',
    operation: 'createMonitor',
    notFound: 'monitor_not_found',
    limitReached: 'monitor_limit_reached',
  },
  webhook_endpoint: {
    noun: 'webhook endpoint',
    counted: 'webhook endpoint',
    limit: ({ maxApiKeys }: Plan) => maxApiKeys,
    remedy: 'delete one first',
    operation: 'createWebhookEndpoint',
    notFound: 'webhook_endpoint_not_found',
    limitReached: 'webhook_endpoint_limit_reached',
  },
} as const satisfies Readonly<Record<string, Resource>>;

interface Resource {
  readonly noun: string;
  readonly counted: string;
  readonly limit: (plan: Plan) => number;
  readonly remedy: string;
  readonly operation: string;
  readonly notFound: ErrorCode;
  readonly limitReached: ErrorCode;
}

/** The reply to a creation or renewal. No later reply has the secret: its hash is stored, or the sealed secret if we sign with it. */
export type WithSecret<T> = T & { readonly secret: string };

type ResourceKind = keyof typeof resources;

/** A resource that is about to be created. */
interface Creation {
  readonly kind: ResourceKind;
  readonly id: string;
  /** The client's `Idempotency-Key`. It creates at most one resource: then `idempotency_key_reused` is thrown. */
  readonly key: string | undefined;
  readonly now: number;
}

/** Takes the client's key, in the transaction that creates the resource. */
export function takeKey(
  tx: Transaction,
  accountId: string,
  { kind, id, key, now }: Creation,
  step = '',
): Promise<void> {
  return takeIdempotencyKey(tx, { accountId, operation: resources[kind].operation + step, key }, id, now);
}

/** Throws the kind's `limitReached` if an account that has `count` of them may not have another one. The caller holds a lock on the count. */
export function requireRoom(kind: ResourceKind, { plan }: Pick<AccountTerms, 'plan'>, count: number): void {
  const { limit, counted, remedy, limitReached } = resources[kind];
  if (count < limit(plan)) return;
  throw fail(limitReached, { message: describeLimit(plan, formatAmount(limit(plan), counted), remedy) });
}

/** Returns what was found, or throws the kind's `notFound`: also for a resource of another account. */
export function requireFound<T>(kind: ResourceKind, found: T | undefined | false): T {
  if (found === undefined || found === false) throw fail(resources[kind].notFound);
  return found;
}
