import type { PeriodTerms } from './period.ts';
import type { Plan } from './plans.ts';

/**
 * The types that accounts, metering and billing share. These folders never import each other: `services.ts` passes functions of
 * these types from the folder that has the data to the one that needs it.
 */

/** The plan of an account, and the billing period that its requests are counted in. */
export interface AccountTerms extends PeriodTerms {
  readonly accountId: string;
  readonly plan: Plan;
}

/** The API key that a data request is charged to, with the terms of its account. */
export interface Caller extends AccountTerms {
  readonly keyId: string;
}

/** Requests used in the current billing period. Times are epoch milliseconds. */
export interface Usage {
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** One entry per UTC day of the period (`2026-03-15`). Days without requests may be missing. */
  readonly daily: readonly { readonly date: string; readonly requests: number }[];
}

export type ReadUsage = (account: AccountTerms) => Promise<Usage>;

/** Requests per key id in the current period. Keys without requests may be missing. */
export type ReadUsageByKey = (account: AccountTerms) => Promise<ReadonlyMap<string, number>>;

/** The id that requests made in the portal are counted under, in place of an API key's. */
export function portalKeyId(accountId: string): string {
  return `web:${accountId}`;
}

/**
 * A signed-in user of the portal, charged like an API key: against the quota of the account, but with a separate rate window,
 * so that browsing never slows down a program.
 */
export function portalCaller(account: AccountTerms): Caller {
  return { ...account, keyId: portalKeyId(account.accountId) };
}

/** Time of the last request of each key, epoch ms. Keys that were never used are missing. */
export type ReadLastUsed = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** The state of an account's subscription, as last reported by the payment provider. */
export interface BillingState {
  /** The provider's status, such as `active` or `past_due`; `none` without a subscription. */
  readonly status: string;
  readonly currentPeriodEnd: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Whether the provider's customer portal can be opened: a provider is configured. */
  readonly portalAvailable: boolean;
}

export type ReadBilling = (accountId: string) => Promise<BillingState>;
