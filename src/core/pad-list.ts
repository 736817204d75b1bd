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

/** The values, padded to `size` with the first one. */
export function padList(values: readonly string[], size: number): string[] {
  return Array.from({ length: size }, (_, index) => values[index] ?? values[0] ?? '');
}

/** `$1, $2, …`: one placeholder per value of a padded list. */
export function listPlaceholders(size: number): string {
  return Array.from({ length: size }, (_, index) => `$${index + 1}`).join(', ');
}
