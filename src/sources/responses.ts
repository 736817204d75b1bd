import type { Clock } from '../core/clock.ts';
import type { Response } from './client.ts';
import { SourceProblem, showAddress } from './problem.ts';

/** What identifies a version of a file at its publisher. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

export const OK = 200;
export const PARTIAL = 206;
export const NOT_MODIFIED = 304;
export const NOT_FOUND = 404;
export const RANGE_NOT_SATISFIABLE = 416;

/** Ends a response that has no file. */
export function refuseResponse({ status, headers, body }: Response, url: URL, clock: Clock): SourceProblem {
  body.on('error', () => {}).destroy();
  const what = `${showAddress(url)} answered ${status}`;
  switch (status) {
    case 404:
    case 410:
      return new SourceProblem(`${what} (not found)`, 'moved');
    case 401:
    case 403:
    case 451:
      return new SourceProblem(`${what} (access denied)`, 'look');
    case 407:
      return new SourceProblem('the proxy requires a password', 'proxy');
    case NOT_MODIFIED:
      return new SourceProblem(`${what} (not modified), although the whole file was requested`, 'later');
    default: {
      const isBusy = status === 408 || status === 425 || status === 429 || status >= 500;
      const reason = status === 429 ? ' (too many requests)' : status >= 500 ? ' (an error of the publisher)' : '';
      const waitMs = readRetryAfter(headers['retry-after'], clock);
      return new SourceProblem(`${what}${reason}`, 'later', { retry: isBusy, waitMs });
    }
  }
}

/** `Retry-After` is a number of seconds or a date. */
function readRetryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - clock.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
