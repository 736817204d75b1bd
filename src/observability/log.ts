import { type DestinationStream, destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LogHandle {
  readonly log: Logger;
  /** Writes lines of another thread's log, as whole as they come. */
  relay(lines: string): void;
  /** Writes out what is still buffered; call it before the process ends. Later lines are dropped. */
  close(): Promise<void>;
}

const LAST_LINES_MS = 2_000;
/** A reader that stands still must not fill our memory: beyond this, lines are dropped. */
const MOST_BUFFERED = 16 * 1024 * 1024;

/** Structured logs on standard output: JSON lines, or short coloured ones when a person is watching. */
export function createLog(level: string, stream?: DestinationStream, base: object | null = null): LogHandle {
  const options = { level, base: base && { ...base }, serializers: { err: describeError } };
  const writeTo = (out: DestinationStream, close = () => Promise.resolve()): LogHandle => {
    return { log: pino(options, out), relay: (lines) => out.write(lines), close };
  };
  if (stream !== undefined) return writeTo(stream);
  if (process.stdout.isTTY) {
    const format = { sync: true, ignore: 'accountId,keyId,requestId', translateTime: 'HH:MM:ss', singleLine: true };
    return writeTo(pretty(format));
  }
  const { write, close } = bufferOutput();
  return writeTo({ write }, close);
}

/** Buffered: a write a line would cost more than most requests do. Flushed every second and at the end. */
function bufferOutput() {
  let closing = false;
  let givenUp = false;
  const retryEAGAIN = () => !givenUp;
  const out = destination({
    fd: 1,
    sync: false,
    minLength: 4096,
    periodicFlush: 1_000,
    maxLength: MOST_BUFFERED,
    retryEAGAIN,
  });
  // A log that cannot be written is no reason to stop serving.
  out.on('error', () => undefined);
  return {
    write(lines: string) {
      if (!closing) out.write(lines);
    },
    /** Never `flushSync`: it waits for ever for a reader that has gone or stands still. */
    async close() {
      closing = true;
      await new Promise<void>((resolve) => {
        const patience = setTimeout(resolve, LAST_LINES_MS);
        out.once('close', () => {
          clearTimeout(patience);
          resolve();
        });
        out.end();
      });
      givenUp = true;
      out.destroy();
    },
  };
}

/** Only what helps to find the fault: a driver's error may carry values of a row in further fields. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
