import type { Span } from '../period.ts';

/**
 * Limits on what visitors who are not signed in may do in a span of time: per address, and all of them together. They keep
 * previews from being used to copy the data. Counted in memory by each serving thread, and never charged to an account. Limits of
 * accounts use it too, with the account in place of the address.
 */
export interface VisitorLimits {
  readonly perAddress: number;
  readonly inTotal: number;
}

/** Counts one use by an address. If a limit is reached, counts nothing and returns when the next span starts, in epoch ms. */
type TakeVisit = (address: string, now: number) => number | undefined;

/** `spanAround` returns the span that contains an instant, such as its clock minute. */
export function createVisitorLimit(
  { perAddress, inTotal }: VisitorLimits,
  spanAround: (now: number) => Span,
): TakeVisit {
  let current = 0;
  let total = 0;
  const byAddress = new Map<string, number>();
  return (address, now) => {
    const { start, end } = spanAround(now);
    if (start !== current) {
      current = start;
      total = 0;
      byAddress.clear();
    }
    const taken = byAddress.get(address) ?? 0;
    if (taken >= perAddress || total >= inTotal) return end;
    // The map is emptied with each span, and holds at most `inTotal` addresses, because no more visits than that are accepted per span.
    byAddress.set(address, taken + 1);
    total++;
    return undefined;
  };
}
