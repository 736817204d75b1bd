import { ApiError, ConnectionFailed } from './errors.ts';

/** Gateways send 502 and 504 if they have no connection to the service. */
const TRANSIENT = [408, 502, 503, 504];

/** Limits that recover within a minute. A quota does not. */
const SHORT_LIMITS = ['rate_limit_exceeded', 'concurrency_limit_exceeded'];

/** Whether the same request may succeed a little later. */
export function isTransient(error: unknown): error is ApiError | ConnectionFailed {
  if (error instanceof ConnectionFailed) return true;
  return error instanceof ApiError && (TRANSIENT.includes(error.status) || SHORT_LIMITS.includes(error.code));
}

/** Whether the service itself has said that it did nothing. */
export function isRefused(error: ApiError | ConnectionFailed): boolean {
  return error instanceof ApiError && (SHORT_LIMITS.includes(error.code) || error.code === 'service_unavailable');
}

/** Milliseconds before the next attempt. Clients that all wait equally long would return at the same moment. */
export function chooseDelay(error: ApiError | ConnectionFailed, tries: number, backoff: number): number {
  const wanted = error instanceof ApiError ? error.retryAfter : null;
  const jitter = 2 * backoff * Math.random();
  return wanted === null ? (backoff * 2 ** (tries - 1)) / 2 + jitter / 2 : wanted * 1000 + jitter;
}

/** Seconds from `Retry-After`, which is a number or a date. */
export function readRetryAfter(text: string | null): number | null {
  const seconds =
    text === null ? Number.NaN : /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Rejects with the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
