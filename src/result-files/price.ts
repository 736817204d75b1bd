/** A file costs one request per this many results, because the API returns at most as many per request. */
export const ROWS_PER_UNIT = 100;

/** The most rows of a file in the portal on the free plan. The API has no whole results for it. */
export const MAX_FREE_ROWS = 1_000;

/** How many requests a file costs. An empty one costs as much as a search that finds nothing. */
export function countUnits(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_PER_UNIT));
}

/**
 * How many of them are kept for a file that was sent in part. Rows that were handed to the connection are paid, whether the client has
 * read them or not: the server cannot observe that, and a client that reads a few of them and disconnects must not get them for nothing.
 */
export function countKeptUnits({ isStarted, rows }: { readonly isStarted: boolean; readonly rows: number }): number {
  return isStarted ? countUnits(rows) : 0;
}
