import type { Answer } from './sender.ts';

/** What an answer means for the delivery and its endpoint. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  /** `pausedUntil`: the receiver asked for a pause, so nothing else is sent to it until then. 0 if it did not. */
  | { readonly kind: 'retry'; readonly at: number; readonly pausedUntil: number }
  /** The receiver does not want webhooks any more. */
  | { readonly kind: 'gone' }
  /** The last attempt failed. */
  | { readonly kind: 'exhausted' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The pauses after each failed attempt. The attempt after the last one is the tenth and last: together a little more than three days. */
export const PAUSES: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const MAX_ATTEMPTS = PAUSES.length + 1;
const MAX_PAUSE = 24 * HOUR;

/** `attempts` includes this one. */
export function judgeAnswer({ status, retryAfter }: Answer, attempts: number, now: number): DeliveryOutcome {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return { kind: 'exhausted' };
  const asked = status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : undefined;
  return { kind: 'retry', at: now + Math.max(pause, asked ?? 0), pausedUntil: asked === undefined ? 0 : now + asked };
}

/** A number of seconds or a date, as a pause of at most a day. */
function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const pause = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(pause) ? undefined : Math.min(MAX_PAUSE, Math.max(0, pause));
}
