/** Numbers, days and spans of time as pages write them: English, UTC. */

const COUNT = new Intl.NumberFormat('en-GB');
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

export function writeCount(count: number): string {
  return COUNT.format(count);
}

/** `1 company`, `2,000 companies`. */
export function writeAmount(count: number, one: string, many = `${one}s`): string {
  return `${writeCount(count)} ${count === 1 ? one : many}`;
}

export function writeDay(instant: number): string {
  return DAY.format(instant);
}

export function writeMoment(instant: number): string {
  return `${MOMENT.format(instant)} UTC`;
}

/** A date as registers give it, `2003-02-01`; anything else stays as it is. */
export function writeDate(date: string): string {
  const instant = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? date : writeDay(instant);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

/** How long ago that was. */
export function writeAge(milliseconds: number): string {
  if (milliseconds < MINUTE) return 'just now';
  if (milliseconds < HOUR) return `${writeAmount(Math.floor(milliseconds / MINUTE), 'minute')} ago`;
  if (milliseconds < DAY_MS) return `${writeAmount(Math.floor(milliseconds / HOUR), 'hour')} ago`;
  return `${writeAmount(Math.floor(milliseconds / DAY_MS), 'day')} ago`;
}

/** How long it still takes, rounded up: who waits that long does not come too early. */
export function writeWait(milliseconds: number): string {
  if (milliseconds <= 2 * MINUTE) return writeAmount(Math.max(1, Math.ceil(milliseconds / 1000)), 'second');
  if (milliseconds <= 2 * HOUR) return writeAmount(Math.ceil(milliseconds / MINUTE), 'minute');
  if (milliseconds <= 2 * DAY_MS) return writeAmount(Math.ceil(milliseconds / HOUR), 'hour');
  return writeAmount(Math.ceil(milliseconds / DAY_MS), 'day');
}

/** Whole per cent, rounded down, so that 100 is said only when all is used. */
export function writeShare(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 100)} %`;
}
