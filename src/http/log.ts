import { type DestinationStream, destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export interface Log {
  readonly log: Logger;
  /** Writes lines of another thread's log, as whole as they come. */
  relay(lines: string): void;
  /** Writes out what is still buffered; call it before the process ends. */
  flush(): void;
}

/** Structured logs on standard output: JSON lines, or short coloured ones when a person is watching. */
export function createLog(level: string, stream?: DestinationStream, base: object | null = null): Log {
  const options = { level, base: base && { ...base }, serializers: { err: describeError } };
  const writeTo = (out: DestinationStream, flush: () => void): Log => {
    return { log: pino(options, out), relay: (lines) => out.write(lines), flush };
  };
  if (stream !== undefined) return writeTo(stream, () => undefined);
  if (process.stdout.isTTY) {
    const format = { sync: true, ignore: 'accountId,keyId,requestId', translateTime: 'HH:MM:ss', singleLine: true };
    return writeTo(pretty(format), () => undefined);
  }
  // Buffered: a write a line would cost more than most requests do. Flushed every second and at the end.
  const out = destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 1_000 });
  return writeTo(out, () => out.flushSync());
}

/** Only what helps to find the fault: a driver's error may carry values of a row in further fields. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
