/** When limits reset: the minute of the rate window and the billing period, in epoch milliseconds and UTC. */
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

/**
 * The same day and time some months later, or the last day of a month that is too short. To get a series of months, always count
 * from the same instant: counting from 28 February would lose the 31st.
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

/** The difference of calendar months: 1 from 31 January to 1 February. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
