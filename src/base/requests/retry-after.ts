/** The pause that `Retry-After` requests, in milliseconds. The header is a number of seconds or a date. Undefined if it is neither. */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined) return undefined;
  const pause = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}
