import type { PeriodTerms, Plan } from './plans.ts';

/** Types that accounts, metering and billing share. These rooms never import each other: `services/` connects them. */

/** The plan of an account, and the billing period that its requests are counted in. */
export interface AccountTerms extends PeriodTerms {
  readonly accountId: string;
  readonly plan: Plan;
}

export type ReadTerms = (accountId: string) => Promise<AccountTerms | undefined>;

/** The API key that a data request is charged to, with the terms of its account. */
export interface Caller extends AccountTerms {
  readonly keyId: string;
  readonly kind?: 'api_key' | 'reconcile_link';
  /** Whether the key may change monitors and webhook endpoints. */
  readonly canManage?: boolean;
}

/** Requests used in the current billing period. Times are epoch milliseconds. */
export interface Usage extends UsedPeriod {
  readonly limit: number;
  readonly remaining: number;
  /** Null while less than 80% of the quota are used. */
  readonly warning: UsageWarning | null;
  /**
   * One entry per UTC day of the period (`2026-03-15`). Days without requests may be missing. If the period starts within a day, or the plan changed
   * during the period, its days include requests that were charged to another period.
   */
  readonly daily: readonly { readonly date: string; readonly requests: number }[];
  /** The previous period, which a new subscription may have ended early. Null if no request was charged to that period. */
  readonly previous: UsedPeriod | null;
}

export interface UsedPeriod {
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly used: number;
}

export const usageWarnings = ['quota_nearly_used', 'quota_used'] as const;
type UsageWarning = (typeof usageWarnings)[number];

const WARNING_SHARE = 0.8;

export function findUsageWarning(used: number, limit: number): UsageWarning | null {
  if (used >= limit) return 'quota_used';
  return used / limit >= WARNING_SHARE ? 'quota_nearly_used' : null;
}

/** The requests of an account per day and key, in all billing periods. */
export interface UsageHistory {
  /** UTC days, in order, including days without requests. The last day is today. */
  readonly days: readonly string[];
  /** Days and keys without requests may be missing. */
  readonly counts: readonly { readonly date: string; readonly keyId: string; readonly requests: number }[];
}

/** The requests of an account in a calendar month (UTC), such as `2026-03`. */
export interface MonthlyUse {
  readonly month: string;
  readonly requests: number;
}

/** The id under which requests made in the portal are counted, in place of the id of an API key. */
export function portalKeyId(accountId: string): string {
  return `web:${accountId}`;
}

/** A user of the portal as a caller, with the quota of the account but a separate rate window, so that browsing slows no program. */
export function portalCaller(account: AccountTerms): Caller {
  return { ...account, keyId: portalKeyId(account.accountId) };
}

/** The id under which delivered events are counted, in place of the id of an API key. */
export function webhookKeyId(accountId: string): string {
  return `hook:${accountId}`;
}

/** Time of the last request of each key, epoch ms. Keys that were never used are missing. */
export type ReadLastUsed = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** The state of an account's subscription, as last reported by the payment provider. */
export interface BillingState {
  /** The provider's status, such as `active` or `past_due`; `none` without a subscription. */
  readonly status: string;
  /** The end of the paid period, while there is one: null if the subscription has ended or does not entitle to a plan. */
  readonly currentPeriodEnd: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Whether the provider's customer portal can be opened: a provider is configured. */
  readonly portalAvailable: boolean;
}
