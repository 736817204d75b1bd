/** A request that waits. */
interface Place {
  readonly accountId: string;
}

type Seat<P> =
  /** It waits as long as it wants to. `instead` has to leave for it. */
  | { readonly kind: 'wait'; readonly instead?: P | undefined }
  /** It waits only a moment, so that a client that repeats its request at once does not use up its rate limit. */
  | { readonly kind: 'pause' }
  /** Too many of them, even for that. */
  | { readonly kind: 'refuse' };

/**
 * Decides whether a request may wait. An account has a bounded number of places. If all places are taken, an account gets one from the
 * account with the most, as long as that one keeps more than it: so many accounts together cannot keep another one out. As many requests
 * again may pause. `held` has all requests that wait or pause, in the order of their arrival.
 */
export function chooseSeat<P extends Place>(
  held: ReadonlySet<P>,
  accountId: string,
  { perAccount, inTotal }: { readonly perAccount: number; readonly inTotal: number },
  counts: ReadonlyMap<string, number>,
): Seat<P> {
  const own = counts.get(accountId) ?? 0;
  if (own >= 2 * perAccount) return { kind: 'refuse' };
  if (own >= perAccount) return held.size >= 2 * inTotal ? { kind: 'refuse' } : { kind: 'pause' };
  if (held.size < inTotal) return { kind: 'wait' };
  const [account, most] = findLargest(counts);
  if (most > own + 1) return { kind: 'wait', instead: held.values().find((place) => place.accountId === account) };
  return held.size >= 2 * inTotal ? { kind: 'refuse' } : { kind: 'pause' };
}

function findLargest(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let largest: readonly [string, number] = ['', 0];
  for (const entry of counts) if (entry[1] > largest[1]) largest = entry;
  return largest;
}
