import type { PeriodTerms } from './period.ts';
import type { Plan } from './plans.ts';

/**
 * What accounts, metering and billing tell each other. They never import one another: `services.ts` passes functions of
 * these types from the one that knows to the one that asks.
 */

/** What an account may do, and in which period it is counted. */
export interface AccountTerms extends PeriodTerms {
  readonly accountId: string;
  readonly plan: Plan;
}

/** Who calls a data endpoint. */
export interface Caller extends AccountTerms {
  readonly keyId: string;
}

/** What an account has used of its current billing period. Times are epoch milliseconds. */
export interface Usage {
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** Days of the period, UTC, as `2026-03-15`; days without a request may be left out. */
  readonly daily: readonly { readonly date: string; readonly requests: number }[];
}

export type ReadUsage = (account: AccountTerms) => Promise<Usage>;

/** Requests of each key on the days of the current period; a key without any may be left out. */
export type ReadUsageByKey = (account: AccountTerms) => Promise<ReadonlyMap<string, number>>;

/**
 * Searches in the portal are charged like those of a key, under this id: the account's own quota, and a minute window apart from
 * those of its keys.
 */
export function portalKeyId(accountId: string): string {
  return `web:${accountId}`;
}

/** When each key was last used; a key that never was is not in it. */
export type ReadLastUsed = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** What the payment provider last said about an account's subscription. */
export interface BillingState {
  /** The provider's own word, such as `active` or `past_due`; `none` without a subscription. */
  readonly status: string;
  readonly currentPeriodEnd: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Whether the account can open the provider's customer portal. */
  readonly portalAvailable: boolean;
}

export type ReadBilling = (accountId: string) => Promise<BillingState>;
