import type { Decision } from '../../src/accounts/metering/decisions.ts';

/**
 * A model of the meter that applies the same rules in memory, one request after the other. It has its own calendar, so
 * that the test does not depend on the code it checks.
 */
export interface Terms {
  perMinute: number;
  perPeriod: number;
  anchor: number | null;
  end: number | null;
}

export const MINUTE = 60_000;
export const DAY = 86_400_000;
/** Two keys of the first account, one of the second. */
export const KEYS = [0, 0, 1] as const;

export class Model {
  readonly terms: Terms[];
  readonly windows = new Map<string, { minute: number; used: number }>();
  /** By account and start of the period. */
  readonly quotas = new Map<string, number>();
  /** By key and day. */
  readonly days = new Map<string, { requests: number; lastUsed: number }>();

  constructor(terms: readonly Terms[]) {
    this.terms = terms.map((each) => ({ ...each }));
  }

  take(key: number, charged: boolean, now: number) {
    const account = KEYS[key] as number;
    const terms = this.terms[account] as Terms;
    const period = findPeriod(terms, now);
    const quotaName = `${account} ${period.start}`;
    const window = this.#windowOf(`key ${key}`, now);
    const quotaUsed = this.quotas.get(quotaName) ?? 0;
    const decide = (outcome: Decision['outcome'], used: number) => ({
      outcome,
      window: {
        limit: terms.perMinute,
        remaining: Math.max(0, terms.perMinute - window.used),
        resetsAt: window.minute + MINUTE,
      },
      quota: {
        limit: terms.perPeriod,
        remaining: Math.max(0, terms.perPeriod - used),
        resetsAt: period.end,
        startsAt: period.start,
      },
      charge: outcome === 'granted' && charged ? { quotaName, dayName: `${key} ${dayOf(now)}` } : null,
    });
    if (window.used >= terms.perMinute) return decide('rate_limited', quotaUsed);
    window.used++;
    // The account has one key in its plan, whatever it has in fact.
    const all = this.#windowOf(`account ${account}`, now);
    if (all.used >= terms.perMinute) return decide('rate_limited', quotaUsed);
    all.used++;
    const day = this.days.get(`${key} ${dayOf(now)}`) ?? { requests: 0, lastUsed: 0 };
    this.days.set(`${key} ${dayOf(now)}`, day);
    day.lastUsed = Math.max(day.lastUsed, now);
    if (!charged) return decide('granted', quotaUsed);
    if (quotaUsed >= terms.perPeriod) return decide('quota_exceeded', quotaUsed);
    this.quotas.set(quotaName, quotaUsed + 1);
    day.requests++;
    return decide('granted', quotaUsed + 1);
  }

  #windowOf(key: string, now: number) {
    const minute = now - (((now % MINUTE) + MINUTE) % MINUTE);
    const known = this.windows.get(key);
    if (known !== undefined && minute <= known.minute && known.minute - minute <= 2 * MINUTE) return known;
    const fresh = { minute, used: 0 };
    this.windows.set(key, fresh);
    return fresh;
  }

  refund({ quotaName, dayName }: Charge): void {
    this.quotas.set(quotaName, (this.quotas.get(quotaName) ?? 0) - 1);
    const day = this.days.get(dayName);
    if (day) day.requests--;
  }

  usage(account: number, now: number) {
    const terms = this.terms[account] as Terms;
    const { start, end } = findPeriod(terms, now);
    const used = this.quotas.get(`${account} ${start}`) ?? 0;
    const daily = new Map<string, number>();
    for (const [name, { requests }] of this.days) {
      const [key, day = ''] = name.split(' ');
      if (KEYS[Number(key)] !== account || day < dayOf(start) || day > dayOf(end - 1)) continue;
      daily.set(day, (daily.get(day) ?? 0) + requests);
    }
    const days = [...daily].map(([date, requests]) => ({ date, requests })).sort((a, b) => (a.date < b.date ? -1 : 1));
    const remaining = Math.max(0, terms.perPeriod - used);
    const isNear = used * 10 >= terms.perPeriod * 8;
    const warning = remaining === 0 ? 'quota_used' : isNear ? 'quota_nearly_used' : null;
    return { periodStart: start, periodEnd: end, used, limit: terms.perPeriod, remaining, warning, daily: days };
  }

  lastUsed(key: number): number | undefined {
    const all = [...this.days].filter(([name]) => name.startsWith(`${key} `)).map(([, { lastUsed }]) => lastUsed);
    return all.length === 0 ? undefined : Math.max(...all);
  }
}

export interface Charge {
  readonly quotaName: string;
  readonly dayName: string;
}

/** Goes through the months one by one: slow, but simple. */
export function findPeriod({ anchor, end }: Terms, now: number): { start: number; end: number } {
  if (anchor === null) return monthsFrom(Date.parse(`${dayOf(now).slice(0, 7)}-01T00:00:00Z`), now);
  const paidUntil = end !== null && end > anchor ? end : monthLater(anchor, 1);
  if (now >= anchor && now < paidUntil) return { start: anchor, end: paidUntil };
  if (now < anchor) return monthsFrom(anchor, now);
  for (let months = 1; monthLater(anchor, months) <= paidUntil; months++) {
    if (monthLater(anchor, months) === paidUntil) return monthsFrom(anchor, now);
  }
  return monthsFrom(paidUntil, now);
}

function monthsFrom(reference: number, now: number): { start: number; end: number } {
  const about = Math.round((now - reference) / (30.4375 * DAY));
  for (let months = about - 2; months <= about + 2; months++) {
    const [start, end] = [monthLater(reference, months), monthLater(reference, months + 1)];
    if (start <= now && now < end) return { start, end };
  }
  throw new Error(`no month from ${reference} contains ${now}`);
}

function monthLater(instant: number, months: number): number {
  const [, year = '', month = '', day = '', time = ''] =
    /^(\d+)-(\d+)-(\d+)(T.*)$/.exec(new Date(instant).toISOString()) ?? [];
  const index = Number(year) * 12 + Number(month) - 1 + months;
  const [newYear, newMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = newYear % 4 === 0 && (newYear % 100 !== 0 || newYear % 400 === 0);
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][newMonth - 1] ?? 0;
  const two = (value: number) => String(value).padStart(2, '0');
  return Date.parse(`${newYear}-${two(newMonth)}-${two(Math.min(Number(day), length))}${time}`);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
