/** Work that a server repeats in the background. A run that takes longer than the interval delays the next one. */
export interface BackgroundWork {
  start(): void;
  /** Aborts the signal of the current run and waits for its end. */
  stop(): Promise<void>;
}

/** `work` has to handle its errors. */
export function createBackgroundWork(intervalMs: number, work: (signal: AbortSignal) => Promise<void>): BackgroundWork {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  const stopping = new AbortController();
  return {
    start() {
      timer ??= setInterval(() => {
        working ??= work(stopping.signal).finally(() => {
          working = undefined;
        });
      }, intervalMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}
