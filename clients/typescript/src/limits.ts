/** What is left of a limit, as the last reply said. */
export interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export interface Limits {
  /** Requests of this key in the current minute. */
  readonly window: Limit;
  /** Requests of the account in the current billing period. */
  readonly quota: Limit;
}

/** Undefined if the request was not counted. */
export function readLimits(headers: Headers): Limits | undefined {
  const read = (name: string, toMs: (text: string) => number): Limit | undefined => {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((part) => headers.get(`${name}-${part}`));
    if (!limit || !remaining || !reset) return undefined;
    return { limit: Number(limit), remaining: Number(remaining), resetsAt: new Date(toMs(reset)) };
  };
  const window = read('X-RateLimit', (seconds) => Number(seconds) * 1000);
  const quota = read('X-Monthly-Quota', Date.parse);
  return window && quota && { window, quota };
}
