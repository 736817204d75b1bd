import { fail } from '../base/errors.ts';
import { exceedsBounds } from '../base/json/json-bounds.ts';
import { type Snapshot, SUBSCRIPTION_EVENTS } from './order.ts';
import {
  asRecord,
  type FindPlanOfPrice,
  isLive,
  LAST_SECOND,
  parseId,
  parseReference,
  parseSubscription,
  type Subscription,
} from './subscription.ts';

/** How an event was handled. `stale`: the stored state is newer. */
export type EventOutcome = 'applied' | 'stale' | 'ignored' | 'unreadable' | 'unknown_price';

/** A parsed event. Parsing depends only on the event's text and our prices. Customer, subscription and account are null if the event names none. */
export interface BillingEvent {
  readonly id: string;
  readonly kind: string;
  /** When the event happened, in whole seconds of the provider's clock. */
  readonly created: number;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** A customer without an account is linked to this account. */
  readonly accountId: string | null;
  /** The outcome of the event unless the stored state is newer. */
  readonly outcome: Exclude<EventOutcome, 'stale'>;
  readonly snapshot: Snapshot | null;
}

/** Throws `invalid_request` if the text is not an event. */
export function parseEvent(text: string, planOfPrice: FindPlanOfPrice): BillingEvent {
  const envelope = asRecord(parse(text));
  const id = parseId(envelope.id);
  const kind = parseId(envelope.type);
  const { created } = envelope;
  if (id === null) throw refuse('"id" must be a string of 1 to 255 visible ASCII characters');
  if (kind === null) throw refuse('"type" must be a string of 1 to 255 visible ASCII characters');
  if (typeof created !== 'number' || !Number.isSafeInteger(created) || created < 0 || created > LAST_SECOND) {
    throw refuse('"created" must be a Unix time in whole seconds');
  }
  const { object } = asRecord(envelope.data);
  const event = { id, kind, created, customerId: null, subscriptionId: null, accountId: null, snapshot: null };
  if (kind === 'checkout.session.completed') {
    // A purchase links the customer to the account. Separate events report the subscription.
    const session = asRecord(object);
    const customerId = parseReference(session.customer);
    if (customerId === null) return { ...event, outcome: 'unreadable' };
    return { ...event, customerId, accountId: parseId(session.client_reference_id), outcome: 'applied' };
  }
  const known = SUBSCRIPTION_EVENTS.get(kind);
  if (known === undefined) return { ...event, outcome: 'ignored' };
  const reported = parseSubscription(object, planOfPrice);
  if (reported === undefined) return { ...event, outcome: 'unreadable' };
  const { customerId, accountId, id: subscriptionId } = reported;
  const state = known.status !== undefined && isLive(reported) ? { ...reported, status: known.status } : reported;
  const concern = { ...event, customerId, accountId, subscriptionId };
  if (!isUnderstood(state)) return { ...concern, outcome: 'unknown_price' };
  const position = { asOf: created, eventRank: known.rank, eventId: id };
  return { ...concern, outcome: 'applied', snapshot: { state, position } };
}

/** Whether the plan of a subscription is known. An unknown price hides the plan, but a subscription that has ended needs no plan. */
export function isUnderstood(subscription: Subscription): boolean {
  return subscription.plan !== null || !isLive(subscription);
}

/** A large event of the provider contains about 2,000 values. Parsing 512 KB of brackets would take longer than the other work of a request. */
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
