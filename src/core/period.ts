/**
 * When limits start anew: the clock minute of the rate window, and the billing period of the quota. Pure functions of
 * instants in epoch milliseconds; everything is UTC, so no day has 23 or 25 hours.
 */
export interface Span {
  readonly start: number;
  /** The first instant that is not part of it, and the start of the next. */
  readonly end: number;
}

/** What is known of a paid period: null where the calendar month counts. */
export interface PeriodTerms {
  /** Start of the period the payment provider last told of. */
  readonly periodAnchor: number | null;
  /** Its end, where the provider told that too. */
  readonly periodEnd: number | null;
}

const MINUTE = 60_000;

export function minuteWindow(now: number): Span {
  const start = Math.floor(now / MINUTE) * MINUTE;
  return { start, end: start + MINUTE };
}

/**
 * The period that `now` is in. Free: the calendar month. Paid: the period the provider told of and, as long as no newer
 * event says otherwise, month after month from there.
 */
export function billingPeriod({ periodAnchor: anchor, periodEnd }: PeriodTerms, now: number): Span {
  if (anchor === null) return monthAround(startOfMonth(now), now);
  const end = periodEnd !== null && periodEnd > anchor ? periodEnd : addMonths(anchor, 1);
  if (now < anchor) return monthAround(anchor, now);
  if (now < end) return { start: anchor, end };
  // From the anchor, so that the 31st comes back after a shorter month; from an end that is none of its months.
  const reference = isMonthAfter(anchor, end) ? anchor : end;
  return monthAround(reference, now);
}

/** The month counted from `reference`, forwards or backwards, that `now` is in. */
function monthAround(reference: number, now: number): Span {
  let months = monthsBetween(reference, now);
  if (addMonths(reference, months) > now) months--;
  return { start: addMonths(reference, months), end: addMonths(reference, months + 1) };
}

/**
 * The same day and time some months later. Where the month is too short its last day; always counted from the same
 * instant, so that the day returns in the next month that has it.
 */
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

/** Of the calendar: from 31 January to 1 February it is one. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
