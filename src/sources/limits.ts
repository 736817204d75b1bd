/** How patient a fetch is. Tests shorten the times. */
export interface FetchLimits {
  /** The time until a publisher answers. Some create the file only when it is requested. */
  readonly responseMs: number;
  /** A response that brings less than `minBytesPerSecond` for this long is ended, and the download is resumed. */
  readonly idleMs: number;
  /** A slower transfer counts as stalled: a server that sends a byte now and then must not hold a fetch forever. */
  readonly minBytesPerSecond: number;
  /** Attempts in a row that make no progress. */
  readonly attempts: number;
  /** The pause before the second attempt. Each later pause is twice as long, up to a minute. */
  readonly pauseMs: number;
  /** A publisher may ask for a longer pause (`Retry-After`). If it is longer than this, the fetch ends instead. */
  readonly maxPauseMs: number;
  /**
   * The time for a file with all attempts and pauses, and for all files of a register. Registers are fetched one after another, so
   * a slow publisher keeps all others waiting. What has arrived is kept, and the next fetch continues.
   */
  readonly fileMs: number;
  readonly registerMs: number;
}

export const DEFAULT_LIMITS: FetchLimits = {
  responseMs: 5 * 60_000,
  idleMs: 60_000,
  minBytesPerSecond: 1_024,
  attempts: 5,
  pauseMs: 1_000,
  maxPauseMs: 10 * 60_000,
  // The largest file has a few gigabytes: half a megabyte per second is enough for it.
  fileMs: 2 * 60 * 60_000,
  registerMs: 4 * 60 * 60_000,
};

export const MAX_REDIRECTS = 5;

/** Pages and JSON answers that only say where the file is. The largest known one has 400 KB. */
export const MAX_PAGE_BYTES = 8 * 1_048_576;
