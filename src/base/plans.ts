/** The plan catalogue. Prices and limits are defined only here. */
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
