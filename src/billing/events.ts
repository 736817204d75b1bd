import { fail } from '../base/errors.ts';
import { exceedsBounds } from '../base/json/json-bounds.ts';
import {
  asRecord,
  type FindPlanOfPrice,
  isLive,
  LAST_SECOND,
  readId,
  readReference,
  readSubscription,
  type Subscription,
} from './subscription.ts';

/** A parsed event and the change it asks for. Parsing depends only on the event's text and our prices. */
export interface BillingEvent {
  readonly id: string;
  readonly kind: string;
  /** When it happened, in whole seconds of the provider's clock. */
  readonly created: number;
  readonly change: Change;
}

export type Change =
  | { readonly type: 'subscription'; readonly rank: number; readonly subscription: Subscription }
  /** Only links the customer to an account. */
  | { readonly type: 'customer'; readonly customerId: string; readonly accountId: string | null }
  | { readonly type: 'none'; readonly reason: 'ignored' | 'unreadable' }
  | { readonly type: 'unknown_price'; readonly subscription: Subscription };

/** The order within one second: an end beats a change, and a change beats the beginning. */
const RANKS: Readonly<Record<string, number>> = {
  'customer.subscription.created': 1,
  'customer.subscription.updated': 2,
  'customer.subscription.paused': 2,
  'customer.subscription.resumed': 2,
  'customer.subscription.deleted': 3,
};

/** After these events the subscription is not live, even if the status in their payload says that it is. */
const STATUS_BY_KIND: Readonly<Record<string, string>> = {
  'customer.subscription.deleted': 'canceled',
  'customer.subscription.paused': 'paused',
};

/** Throws `invalid_request` if the text is not an event. */
export function readEvent(text: string, planOfPrice: FindPlanOfPrice): BillingEvent {
  const envelope = asRecord(parse(text));
  const id = readId(envelope.id);
  const kind = readId(envelope.type);
  const { created } = envelope;
  if (id === null) throw refuse('"id" must be a string of 1 to 255 visible ASCII characters');
  if (kind === null) throw refuse('"type" must be a string of 1 to 255 visible ASCII characters');
  if (typeof created !== 'number' || !Number.isSafeInteger(created) || created < 0 || created > LAST_SECOND) {
    throw refuse('"created" must be a Unix time in whole seconds');
  }
  return { id, kind, created, change: readChange(kind, asRecord(envelope.data).object, planOfPrice) };
}

function readChange(kind: string, object: unknown, planOfPrice: FindPlanOfPrice): Change {
  if (kind === 'checkout.session.completed') return readCheckout(object);
  const rank = Object.hasOwn(RANKS, kind) ? RANKS[kind] : undefined;
  if (rank === undefined) return { type: 'none', reason: 'ignored' };
  const reported = readSubscription(object, planOfPrice);
  if (reported === undefined) return { type: 'none', reason: 'unreadable' };
  const { [kind]: status } = STATUS_BY_KIND;
  const subscription = status !== undefined && isLive(reported) ? { ...reported, status } : reported;
  return isUnderstood(subscription)
    ? { type: 'subscription', rank, subscription }
    : { type: 'unknown_price', subscription };
}

/** An unknown price does not say which plan it buys. A subscription that has ended needs no price to be understood. */
export function isUnderstood(subscription: Subscription): boolean {
  return subscription.plan !== null || !isLive(subscription);
}

function readCheckout(object: unknown): Change {
  const session = asRecord(object);
  const customerId = readReference(session.customer);
  if (customerId === null) return { type: 'none', reason: 'unreadable' };
  return { type: 'customer', customerId, accountId: readId(session.client_reference_id) };
}

/** A large event of the provider has about 2,000 values. Parsing 512 KB of brackets would take longer than the other work of a request. */
const BOUNDS = { maxDepth: 100, maxValues: 20_000 };

function parse(text: string): unknown {
  if (exceedsBounds(text, BOUNDS))
    throw refuse(`it has more than ${BOUNDS.maxValues} values or ${BOUNDS.maxDepth} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('the body must be JSON');
  }
}

export function refuse(reason: string): Error {
  return fail('invalid_request', { message: `The body is not a valid event: ${reason}.` });
}
