import { writeSync } from 'node:fs';

/**
 * Standard output for the log. A pipe or socket has to be non-blocking (see `log.ts`), so a write takes microseconds and fails if the
 * reader is too slow; what is left is written from a timer. Because no write is ever in progress elsewhere, it is always known what has
 * been written, also when the process exits. The server keeps serving when its log cannot be written.
 */
interface Output {
  /** Bytes beyond a bound are dropped if the output is not read, so that they do not fill the memory. */
  write(bytes: Uint8Array): void;
  /** Resolves when everything is written, the output is broken, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** The same, but blocks the thread: for the `exit` event of the process. */
  drainNow(timeoutMs: number): void;
}

const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MIN_RETRY_MS = 1;
const MAX_RETRY_MS = 100;
/** How often a blocked thread tries to write. */
const BLOCKED_RETRY_MS = 5;

export function createOutput(fd: number): Output {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let retryMs = MIN_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;
  let notify: (() => void) | undefined;

  /** Writes as much as the output takes now. */
  function writeWaiting(): void {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      try {
        const written = writeSync(fd, first);
        waitingBytes -= written;
        retryMs = MIN_RETRY_MS;
        if (written < first.length) waiting[0] = first.subarray(written);
        else waiting.shift();
      } catch (error) {
        if (isBusy(error)) return;
        // The reader has gone, or the disk is full. Later lines are tried again.
        waiting.length = 0;
        waitingBytes = 0;
      }
    }
  }

  function proceed(): void {
    timer = undefined;
    writeWaiting();
    if (waiting.length === 0) notify?.();
    else {
      timer = setTimeout(proceed, retryMs).unref();
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  return {
    write(bytes) {
      if (waitingBytes + bytes.length > MAX_WAITING_BYTES) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (timer === undefined) proceed();
    },
    async drain(timeoutMs) {
      if (waiting.length === 0) return;
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, timeoutMs);
        notify = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
    },
    drainNow(timeoutMs) {
      const until = performance.now() + timeoutMs;
      for (writeWaiting(); waiting.length > 0 && performance.now() < until; writeWaiting()) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_RETRY_MS);
      }
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}
