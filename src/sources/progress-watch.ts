import type { FetchLimits } from './limits.ts';
import { SourceProblem } from './problem.ts';

/** Aborts a response that brings too few bytes. */
export interface ProgressWatch {
  readonly signal: AbortSignal;
  /** The response has begun. */
  start(): void;
  addBytes(count: number): void;
  stop(): void;
}

export function watchProgress(host: string, limits: FetchLimits, outer: AbortSignal): ProgressWatch {
  const controller = new AbortController();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    if (bytes < (limits.minBytesPerSecond * limits.idleMs) / 1_000) {
      const message = `${host} sent less than ${limits.minBytesPerSecond} bytes per second`;
      controller.abort(new SourceProblem(message, { advice: 'later', retry: true }));
    }
    bytes = 0;
  };
  return {
    signal: AbortSignal.any([controller.signal, outer]),
    start() {
      timer = setInterval(check, limits.idleMs);
    },
    addBytes(count) {
      bytes += count;
    },
    stop: () => clearInterval(timer),
  };
}
