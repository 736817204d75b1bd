/** How long to wait before something that keeps failing is started again. */
interface BackoffOptions {
  /** What lived this long did not fail because of how it started, so it is started again immediately. */
  readonly stableMs: number;
  /** The first pause. Each one after it is twice as long, up to `maxMs`. */
  readonly minMs: number;
  readonly maxMs: number;
}

/** Call the result after each failure, with how long it lived. Returns the pause. */
export function createBackoff({ stableMs, minMs, maxMs }: BackoffOptions): (livedMs: number) => number {
  let pause = 0;
  return (livedMs) => {
    pause = livedMs > stableMs ? 0 : Math.min(maxMs, Math.max(minMs, 2 * pause));
    return pause;
  };
}
