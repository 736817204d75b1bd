import { type DestinationStream, destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export interface Log {
  readonly log: Logger;
  /** Writes out what is still buffered; call it before the process ends. */
  flush(): void;
}

/** Structured logs on standard output: JSON lines, or short coloured ones when a person is watching. */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = { level, base: null, serializers: { err: describeError } };
  if (stream !== undefined) return { log: pino(options, stream), flush: () => undefined };
  if (process.stdout.isTTY) {
    const format = { sync: true, ignore: 'accountId,keyId,requestId', translateTime: 'HH:MM:ss', singleLine: true };
    return { log: pino(options, pretty(format)), flush: () => undefined };
  }
  // Buffered: a write a line would cost more than most requests do. Flushed every second and at the end.
  const out = destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 1_000 });
  return { log: pino(options, out), flush: () => out.flushSync() };
}

/** Only what helps to find the fault: a driver's error may carry values of a row in further fields. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
