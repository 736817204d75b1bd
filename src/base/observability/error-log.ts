import { type Failure, reasonOf } from '../errors.ts';
import type { Logger } from './log.ts';

const INTERVAL_MS = 10_000;
/** The maximum number of bursts at the same time. Further errors share one burst. */
const MAX_BURSTS = 100;

export type ErrorLog = ReturnType<typeof createErrorLog>;

/**
 * Logs the errors that requests end with. While a database is down, thousands of requests per second fail with the same error. So the first error of a
 * burst is logged with its stack, and then one line every ten seconds with the number of further errors. A setting that is not configured is logged as
 * a warning, without a stack.
 */
export function createErrorLog(log: Pick<Logger, 'error' | 'warn'>) {
  /** For each kind of error, the number of errors since the last line, and the latest error. */
  const bursts = new Map<string, { count: number; failure: Failure; requestId: string }>();

  /** A burst ends when an interval has passed without an error. */
  function endInterval(): void {
    for (const [kind, burst] of bursts) {
      const { count, failure, requestId } = burst;
      const fields = { count, seconds: INTERVAL_MS / 1_000, requestId, reason: reasonOf(failure) };
      if (count === 0) bursts.delete(kind);
      else log[levelOf(failure)](fields, `${describe(failure)} (repeated)`);
      burst.count = 0;
    }
  }
  const timer = setInterval(endInterval, INTERVAL_MS).unref();

  return {
    report(failure: Failure, requestId: string): void {
      const { missing, cause = failure } = failure;
      const kind = `${failure.code} ${missing ?? kindOf(cause)}`;
      const key = bursts.has(kind) || bursts.size < MAX_BURSTS ? kind : 'others';
      const burst = bursts.get(key);
      bursts.set(key, { count: burst === undefined ? 0 : burst.count + 1, failure, requestId });
      if (burst !== undefined) return;
      const reason = missing === undefined ? { err: cause } : { reason: missing };
      log[levelOf(failure)]({ requestId, ...reason }, describe(failure));
    },
    close(): void {
      clearInterval(timer);
      endInterval();
    },
  };
}

function levelOf({ missing }: Failure): 'error' | 'warn' {
  return missing === undefined ? 'error' : 'warn';
}

function describe({ code, message }: Failure): string {
  return `${code}: ${message}`;
}

/**
 * Errors of different kinds are different bursts. The kind consists of the error's code, if any, and the line that created the error. The line alone
 * is not enough: all errors of PostgreSQL come from the same line of its client.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const line = error.stack?.split('\n').find((text) => text.startsWith('    at ')) ?? '';
  return `${Reflect.get(error, 'code') ?? ''} ${line}`;
}
