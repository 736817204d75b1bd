/** The plan catalogue, and the periods that its limits count in. Prices and limits are defined only here. */
export type PlanId = 'free' | 'pro' | 'business';
export type PaidPlanId = Exclude<PlanId, 'free'>;

export interface Plan {
  readonly id: PlanId;
  readonly name: string;
  readonly monthlyPriceEur: number;
  readonly monthlyRequests: number;
  readonly requestsPerMinute: number;
  readonly maxApiKeys: number;
  readonly maxMonitors: number;
  /** The limit for all monitors of the account together. */
  readonly maxWatchedCompanies: number;
}

export const plans: readonly Plan[] = [
  {
    id: 'free',
    name: 'Free',
    monthlyPriceEur: 0,
    monthlyRequests: 1_000,
    requestsPerMinute: 60,
    maxApiKeys: 1,
    maxMonitors: 2,
    maxWatchedCompanies: 100,
  },
  {
    id: 'pro',
    name: 'Pro',
    monthlyPriceEur: 29,
    monthlyRequests: 100_000,
    requestsPerMinute: 600,
    maxApiKeys: 5,
    maxMonitors: 20,
    maxWatchedCompanies: 10_000,
  },
  {
    id: 'business',
    name: 'Business',
    monthlyPriceEur: 99,
    monthlyRequests: 1_000_000,
    requestsPerMinute: 3_000,
    maxApiKeys: 20,
    maxMonitors: 200,
    maxWatchedCompanies: 100_000,
  },
];

export function requestsOfAllKeys({ requestsPerMinute, maxApiKeys }: Plan): number {
  return requestsPerMinute * maxApiKeys;
}

/** How many of these keys exceed the limit of the plan. A key that is about to end because a new key has replaced it does not count. */
export function countExcess({ maxApiKeys }: Plan, keys: readonly { readonly expiresAt: number | null }[]): number {
  return Math.max(0, keys.filter(({ expiresAt }) => expiresAt === null).length - maxApiKeys);
}

export function isPaid({ monthlyPriceEur }: Plan): boolean {
  return monthlyPriceEur > 0;
}

/** The message for an account at a limit of its plan. `allowed` is a text such as "one active API key", `advice` the remedy besides an upgrade. */
export function describeLimit({ id }: Plan, allowed: string, advice: string): string {
  const upgrade = id === plans.at(-1)?.id ? '' : ', or upgrade';
  return `Your plan allows ${allowed}: ${advice}${upgrade}.`;
}

export function formatAmount(count: number, noun: string): string {
  return count === 1 ? `one ${noun}` : `${count} ${noun}s`;
}

/** Finds the plan of a stored id. The database has a constraint that allows only these ids. */
export function findPlan(id: string): Plan {
  const found = plans.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`there is no plan ${JSON.stringify(id)}`);
  return found;
}

/** When a limit counts anew: a minute, a day or a billing period, in epoch milliseconds and UTC. */
export interface Span {
  readonly start: number;
  /** Exclusive: the start of the next span. */
  readonly end: number;
}

/** The paid period of an account. Both fields are null on the free plan, which uses calendar months. */
export interface PeriodTerms {
  readonly periodAnchor: number | null;
  readonly periodEnd: number | null;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function minuteWindow(now: number): Span {
  const start = Math.floor(now / MINUTE) * MINUTE;
  return { start, end: start + MINUTE };
}

export function dayWindow(now: number): Span {
  const start = Math.floor(now / DAY) * DAY;
  return { start, end: start + DAY };
}

/**
 * The billing period that contains `now`. On the free plan, this is the calendar month. On a paid plan, it is the period that the provider reported
 * or, until a newer event arrives, one of the months that follow that period.
 */
export function billingPeriod({ periodAnchor: anchor, periodEnd }: PeriodTerms, now: number): Span {
  if (anchor === null) return monthAround(startOfMonth(now), now);
  const end = periodEnd !== null && periodEnd > anchor ? periodEnd : addMonths(anchor, 1);
  if (now < anchor) return monthAround(anchor, now);
  if (now < end) return { start: anchor, end };
  // Count months from the anchor, so that a period that starts on the 31st starts on the 31st again after a shorter month. If the reported end is not
  // a whole number of months after the anchor, count from the end.
  const reference = isMonthAfter(anchor, end) ? anchor : end;
  return monthAround(reference, now);
}

/** The month that contains `now`, counted forwards or backwards from `reference`. */
function monthAround(reference: number, now: number): Span {
  let months = monthsBetween(reference, now);
  if (addMonths(reference, months) > now) months--;
  return { start: addMonths(reference, months), end: addMonths(reference, months + 1) };
}

/** Some months later, or the last day of a month that is too short. Count from the same instant: from 28 February, the 31st would be lost. */
export function addMonths(instant: number, months: number): number {
  const date = new Date(instant);
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const lastDay = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  const timeOfDay = instant - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return Date.UTC(target.getUTCFullYear(), target.getUTCMonth(), day) + timeOfDay;
}

function isMonthAfter(anchor: number, end: number): boolean {
  return addMonths(anchor, monthsBetween(anchor, end)) === end;
}

/** The difference of calendar months: 1 from 31 January to 1 February. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
