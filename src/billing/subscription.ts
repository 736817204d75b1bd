import { type PaidPlanId, type PeriodTerms, type PlanId, plans } from '../base/plans.ts';

/** The part of a subscription that we store. Times are epoch milliseconds. */
export interface Subscription {
  readonly id: string;
  readonly customerId: string | null;
  /** Our account, if the subscription's metadata names it. */
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

/** Whether the subscription entitles its account to a plan. */
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
 * Returns undefined if the object is not a subscription.
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

/** Reads an id, or the id of an expanded object. */
export function parseReference(value: unknown): string | null {
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

/**
 * The subscription that counts: of the live subscriptions, the one with the best plan, then the latest end. If none is live, the one updated last.
 * The id breaks ties, so that all machines choose alike.
 */
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
