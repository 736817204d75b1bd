/** A file costs one request per this many results, because the API returns at most as many per request. */
export const ROWS_PER_UNIT = 100;

/** The most rows of a file in the portal on the free plan. The API has no whole results for it. */
export const MAX_FREE_ROWS = 1_000;

/** How many requests a file costs. An empty one costs as much as a search that finds nothing. */
export function countUnits(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_PER_UNIT));
}

/**
 * How many of them are kept for a file that was sent in part: one per 100 rows that were sent completely. The first one is kept as
 * soon as a row is sent, so that the first rows cannot be read for nothing.
 */
export function countKeptUnits(rows: number, sent: number): number {
  if (sent === rows) return countUnits(rows);
  return sent === 0 ? 0 : Math.max(1, Math.floor(sent / ROWS_PER_UNIT));
}
