/**
 * Lists in `IN (…)` clauses, padded to a few fixed lengths. Each length is a different SQL text that has to be prepared
 * once per connection, so lookups use four lengths and repeat a value to fill the gap, which does not change the result.
 */
const LOOKUP_SIZES = [1, 4, 16, 64];

/** The longest list of a lookup. */
export const MAX_LOOKUP_SIZE = 64;

/** The smallest list length that `count` values fit into: at most four times as long as needed. */
export function chooseLookupSize(count: number): number {
  return LOOKUP_SIZES.find((size) => size >= count) ?? MAX_LOOKUP_SIZE;
}

/** The values, padded to `size` with the first one. An empty list is padded with empty texts. */
export function padList<T extends string | number>(values: readonly T[], size: number): (T | '')[] {
  const padded: (T | '')[] = values.slice(0, size);
  while (padded.length < size) padded.push(values[0] ?? '');
  return padded;
}

/** `$1, $2, …`: one placeholder per value of a padded list. */
export function listPlaceholders(size: number): string {
  return Array.from({ length: size }, (_, index) => `$${index + 1}`).join(', ');
}

/** Keeps the SQL text of each size: writing it takes longer than looking up a record. */
export function keepBySize(write: (size: number) => string): (size: number) => string {
  const texts = new Map<number, string>();
  return (size) => texts.getOrInsertComputed(size, write);
}
