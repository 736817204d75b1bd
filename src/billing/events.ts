import { fail } from '../base/errors.ts';
import { exceedsBounds } from '../base/json/json-bounds.ts';
import { type PaidPlanId, type PeriodTerms, type PlanId, plans } from '../base/plans.ts';

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

/** The place of a state in the history of its subscription, taken from the event that reported it. A state never replaces a later one. */
export interface Position {
  /** The time of the event, in whole seconds of the provider's clock. */
  readonly asOf: number;
  readonly eventRank: number;
  readonly eventId: string | null;
}

/** The state of a subscription that an event reports: the complete state, not a difference. */
export interface Snapshot {
  readonly state: Subscription;
  readonly position: Position;
}

interface SubscriptionEvent {
  /** The order within one second: an end beats a change, and a change beats the beginning. */
  readonly rank: number;
  /** The status after an event that ends the live state. Replaces a status in the payload that is still live. */
  readonly status?: string;
}

/** The events that report the state of a subscription. */
const SUBSCRIPTION_EVENTS: ReadonlyMap<string, SubscriptionEvent> = new Map([
  ['customer.subscription.created', { rank: 1 }],
  ['customer.subscription.updated', { rank: 2 }],
  ['customer.subscription.paused', { rank: 2, status: 'paused' }],
  ['customer.subscription.resumed', { rank: 2 }],
  ['customer.subscription.deleted', { rank: 3, status: 'canceled' }],
]);

/**
 * Compares an event with the stored state. Events arrive late, twice and in any order; the first row that applies decides:
 *
 * | Event and stored state                        | Verdict | What happens                                  |
 * | --------------------------------------------- | ------- | --------------------------------------------- |
 * | different seconds: the event's is later       | newer   | the event's state is stored                   |
 * | different seconds: the event's is earlier     | older   | nothing changes, the event is stale           |
 * | same second: the event's rank is higher       | newer   | the event's state is stored                   |
 * | same second: the event's rank is lower        | older   | nothing changes, the event is stale           |
 * | same event, as with `billing replay`          | newer   | the event's state is stored again             |
 * | same second and rank, equal states            | same    | nothing changes                               |
 * | same second and rank, different states        | tie     | the provider's answer chooses (`settle`)      |
 */
export function compare(known: Subscription & Position, { state, position }: Snapshot) {
  const order = position.asOf - known.asOf || position.eventRank - known.eventRank;
  if (order !== 0) return order > 0 ? 'newer' : 'older';
  if (position.eventId === known.eventId) return 'newer';
  return sameState(known, state) ? 'same' : 'tie';
}

/** The part of a subscription that we store. Times are epoch milliseconds. */
export interface Subscription {
  readonly id: string;
  readonly customerId: string | null;
  readonly accountId: string | null;
  /** The provider's status, such as `past_due`. */
  readonly status: string;
  /** The plan that the price of the subscription buys; null if the price is unknown. */
  readonly plan: PaidPlanId | null;
  readonly periodStart: number | null;
  readonly periodEnd: number | null;
  readonly cancelAtPeriodEnd: boolean;
}

export type FindPlanOfPrice = (priceId: string) => PaidPlanId | undefined;

/** `past_due` is live: the provider retries the payment, and the customer keeps the plan meanwhile. */
export const LIVE_STATUSES: readonly string[] = ['active', 'trialing', 'past_due'];

export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return LIVE_STATUSES.includes(status);
}

/** Whether two states agree, even if one comes from an event and the other from the provider. */
export function sameState(a: Subscription, b: Subscription): boolean {
  return (
    a.status === b.status &&
    a.plan === b.plan &&
    a.periodStart === b.periodStart &&
    a.periodEnd === b.periodEnd &&
    a.cancelAtPeriodEnd === b.cancelAtPeriodEnd
  );
}

/**
 * Parses the provider's object, of any API version since 2020: in newer versions the period is on the items, in older ones on the subscription.
 * Undefined if the object is not a subscription.
 */
export function parseSubscription(object: unknown, planOfPrice: FindPlanOfPrice): Subscription | undefined {
  const source = asRecord(object);
  const id = parseId(source.id);
  const status = parseWord(source.status);
  if (id === null || status === null) return undefined;
  const { item, plan } = chooseItem(source, planOfPrice);
  const periodEnd = parseTime(item.current_period_end) ?? parseTime(source.current_period_end);
  const endsWithPeriod = source.cancel_at_period_end === true;
  const cancelAt = parseTime(source.cancel_at);
  return {
    id,
    customerId: parseReference(source.customer),
    accountId: parseId(asRecord(source.metadata).accountId),
    status,
    plan,
    periodStart: parseTime(item.current_period_start) ?? parseTime(source.current_period_start),
    periodEnd,
    // In newer API versions, a date replaces the flag.
    cancelAtPeriodEnd: endsWithPeriod || (cancelAt !== null && periodEnd !== null && cancelAt <= periodEnd),
  };
}

/** The item that buys the best plan. If no item buys a plan, the first item, for its period. */
function chooseItem(source: Fields, planOfPrice: FindPlanOfPrice): { item: Fields; plan: PaidPlanId | null } {
  const { data } = asRecord(source.items);
  const items = (Array.isArray(data) ? data : []).map((each) => {
    const item = asRecord(each);
    return { item, plan: planOfPrice(parseReference(item.price) ?? '') ?? null };
  });
  const best = items.find(({ plan }) => plan === 'business') ?? items.find(({ plan }) => plan === 'pro');
  return best ?? { item: items[0]?.item ?? {}, plan: null };
}

type Fields = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Ids become keys in our tables and appear in logs, so only visible ASCII characters are accepted. */
export function parseId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}

function parseReference(value: unknown): string | null {
  return parseId(value) ?? parseId(asRecord(value).id);
}

function parseWord(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z_]{1,60}$/.test(value) ? value : null;
}

/** Converts the provider's seconds to milliseconds. */
function parseTime(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LAST_SECOND
    ? (value as number) * 1_000
    : null;
}

/** The end of the year 9999; later dates do not fit the four-digit years of ISO 8601. */
export const LAST_SECOND = 253_402_300_799;

/** The plan and period of an account, derived from its subscriptions. Only a signed event changes an entitlement, never the time. */
export interface Entitlement extends PeriodTerms {
  readonly plan: PlanId;
}

/** A subscription, and the second of the provider that its state is from. */
export type Known = Subscription & { readonly asOf: number };

/** The live subscription with the best plan, then the latest end; else the one updated last. Ids break ties, so that all machines agree. */
export function chooseSubscription<S extends Known>(subscriptions: readonly S[]): S | undefined {
  const end = (subscription: S) => (isLive(subscription) && subscription.periodEnd) || subscription.asOf * 1_000;
  return [...subscriptions].sort((a, b) => rankOf(b) - rankOf(a) || end(b) - end(a) || (a.id < b.id ? -1 : 1))[0];
}

export function entitlementOf(subscriptions: readonly Known[]): Entitlement {
  const best = chooseSubscription(subscriptions);
  if (best === undefined || best.plan === null || !isLive(best)) {
    return { plan: 'free', periodAnchor: null, periodEnd: null };
  }
  const { plan, periodStart, periodEnd } = best;
  return { plan, periodAnchor: periodStart, periodEnd };
}

/** Plans are listed in order of price. Subscriptions that are not live rank below all plans. */
function rankOf(subscription: Known): number {
  if (subscription.plan === null || !isLive(subscription)) return 0;
  return plans.findIndex(({ id }) => id === subscription.plan);
}
