/**
 * Buckets divide the order of names into ranges of similar size. Counting results per bucket says in which one a page is, so
 * that only a few thousand rows have to be sorted. The limits are chosen when an index is built and kept until the next build.
 */
export interface Buckets {
  of(nameKey: string): number;
}

/** Each has about 30,000 entities at 125 million, and no fewer than `MIN_SIZE`. */
const MAX_BUCKETS = 4_096;
const MIN_SIZE = 2_000;

/** Limits from a sample of the names of all entities, so that buckets get about the same number of them. */
export function chooseLimits(sample: readonly string[], entities: number, minSize = MIN_SIZE): string[] {
  const count = Math.min(MAX_BUCKETS, Math.ceil(entities / minSize), sample.length);
  const sorted = sample.map((name) => Buffer.from(name)).sort(Buffer.compare);
  const limits = Array.from({ length: Math.max(0, count - 1) }, (_, at) =>
    String(sorted[Math.floor(((at + 1) * sorted.length) / count)]),
  );
  return [...new Set(limits)];
}

/** The number of a bucket is the number of limits up to the name. Names are compared as ClickHouse does, by bytes. */
export function createBuckets(limits: readonly string[]): Buckets {
  const bytes = limits.map((limit) => Buffer.from(limit));
  return {
    of(nameKey) {
      const name = Buffer.from(nameKey);
      let low = 0;
      let high = bytes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (Buffer.compare(bytes[middle] as Buffer, name) <= 0) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}
