import { type Failure, reasonOf } from '../errors.ts';
import type { Logger } from './log.ts';

const INTERVAL_MS = 10_000;
/** The maximum number of bursts at the same time. Further errors share one burst. */
const MAX_BURSTS = 100;

interface Burst {
  /** The errors since the last line, and the latest of these errors. */
  count: number;
  failure: Failure;
  requestId: string;
  timer: NodeJS.Timeout;
}

export type ErrorLog = ReturnType<typeof createErrorLog>;

/**
 * Logs the errors that requests end with. While a database is down or slow, thousands of requests per second fail with the same error. A stack for
 * each of them would hide everything else and fill the disk. So the first error of a burst is logged at once, with its stack, and then one line every
 * ten seconds with the number of further errors. The request log still has a line per request. A setting that is not configured is logged as a
 * warning, without a stack.
 */
export function createErrorLog(log: Pick<Logger, 'error' | 'warn'>, intervalMs = INTERVAL_MS) {
  const bursts = new Map<string, Burst>();

  function writeCount({ count, failure, requestId }: Burst): void {
    const fields = { count, seconds: intervalMs / 1000, requestId, reason: reasonOf(failure) };
    if (count > 0) log[levelOf(failure)](fields, `${describe(failure)} (repeated)`);
  }

  const startInterval = (key: string) => setTimeout(endInterval, intervalMs, key).unref();

  /** A burst ends when an interval has passed without an error. */
  function endInterval(key: string): void {
    const burst = bursts.get(key);
    if (burst === undefined) return;
    if (burst.count === 0) {
      bursts.delete(key);
      return;
    }
    writeCount(burst);
    burst.count = 0;
    burst.timer = startInterval(key);
  }

  return {
    report(failure: Failure, requestId: string): void {
      const kind = `${failure.code} ${failure.missing ?? kindOf(failure.cause ?? failure)}`;
      const key = bursts.has(kind) || bursts.size < MAX_BURSTS ? kind : 'others';
      const burst = bursts.get(key);
      if (burst !== undefined) {
        burst.count++;
        burst.failure = failure;
        burst.requestId = requestId;
        return;
      }
      bursts.set(key, { count: 0, failure, requestId, timer: startInterval(key) });
      const { missing, cause = failure } = failure;
      const reason = missing === undefined ? { err: cause } : { reason: missing };
      log[levelOf(failure)]({ requestId, ...reason }, describe(failure));
    },
    close(): void {
      for (const burst of bursts.values()) {
        clearTimeout(burst.timer);
        writeCount(burst);
      }
      bursts.clear();
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
