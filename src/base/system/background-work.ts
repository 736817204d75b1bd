import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import { createWorkQueue } from './turns.ts';

/** Work that a server repeats, at once with `atOnce`. A run longer than the interval delays the next one. `work` handles its errors. */
export function createBackgroundWork(
  intervalMs: number,
  work: (signal: AbortSignal) => Promise<void>,
  { atOnce = false } = {},
) {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  const stopping = new AbortController();
  return {
    start(): void {
      const run = () => {
        working ??= work(stopping.signal).finally(() => {
          working = undefined;
        });
      };
      timer ??= setInterval(run, intervalMs).unref();
      if (atOnce) run();
    },
    /** Aborts the signal of the current run and waits until the run has ended. */
    async stop(): Promise<void> {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}

/** Queues calls of `work`: under a lease, a call made during another one would find the lease taken and do nothing. */
export function oneAtATime<T>(work: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  const inTurn = createWorkQueue();
  return (signal) => inTurn(() => work(signal));
}

/** Logs the error of a failed run; the next run tries again. That a database is not available is already logged. */
export function reportTo(log: Log, message: string) {
  return (error: unknown): void => {
    if (error instanceof Failure && error.code === 'service_unavailable') return;
    log.warn({ err: error }, `${message}: will retry`);
  };
}

export function logFailures(log: Log, message: string, work: (signal: AbortSignal) => Promise<unknown>) {
  return (signal: AbortSignal): Promise<void> => work(signal).then(() => undefined, reportTo(log, message));
}

const PRUNING_INTERVAL_MS = 10 * 60_000;

/** Removes expired rows as background work. `prune` removes the rows that have expired by now, and returns their number. */
export function createPruning(log: Log, message: string, prune: (signal?: AbortSignal) => Promise<number>) {
  return { prune, ...createBackgroundWork(PRUNING_INTERVAL_MS, logFailures(log, message, prune)) };
}
