import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import pretty from 'pino-pretty';
import { createLineCollector } from './line-collector.ts';
import { type RequestLine, renderRequestLine } from './request-line.ts';

/**
 * What operators see of a running server: structured logs, Prometheus metrics, the port they are read from, and one log line per
 * request. This folder does not decide what is logged elsewhere, and services know only the interface in `core/log.ts`.
 */
export interface Logger extends PinoLogger {
  /** Writes the line that every request has. */
  writeRequest(line: RequestLine): void;
}

export interface LogHandle {
  readonly log: Logger;
  /** Writes complete lines from the log of another thread. */
  relay(lines: Uint8Array): void;
  /** Writes out what is buffered. Call it before the process ends. Later lines are dropped. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;
/** If the output is not read, lines beyond this size are dropped, so that they do not fill the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Writes JSON lines to standard output, or short coloured lines if it is a terminal. */
export function createLog(level: string, stream?: DestinationStream, base: object | null = null): LogHandle {
  const options = { level, base: base && { ...base }, serializers: { err: describeError } };
  const ofThread = base === null ? '' : `,${JSON.stringify(base).slice(1, -1)}`;
  const writeTo = (out: DestinationStream, handle: Partial<LogHandle> = {}): LogHandle => {
    const log = pino(options, out);
    const writesRequests = log.isLevelEnabled('info');
    const writeRequest = (line: RequestLine) => {
      if (writesRequests) out.write(renderRequestLine(line, ofThread));
    };
    return {
      log: Object.assign(log, { writeRequest }),
      relay: (lines) => out.write(Buffer.from(lines).toString()),
      close: () => Promise.resolve(),
      ...handle,
    };
  };
  if (stream !== undefined) return writeTo(stream);
  if (process.stdout.isTTY) {
    const format = { sync: true, ignore: 'accountId,keyId,requestId', translateTime: 'HH:MM:ss', singleLine: true };
    return writeTo(pretty(format));
  }
  const { write, ...handle } = bufferOutput();
  return writeTo({ write }, handle);
}

/** Passes lines on in large pieces. */
function bufferOutput() {
  let closing = false;
  let givenUp = false;
  const retryEAGAIN = () => !givenUp;
  const out = destination({
    fd: 1,
    sync: false,
    maxLength: MAX_BUFFERED_BYTES,
    contentMode: 'buffer',
    retryEAGAIN,
  });
  // The server keeps serving when its log cannot be written.
  out.on('error', () => undefined);
  // In this mode it takes bytes, although its types do not say so.
  const passOn = (lines: Uint8Array) => out.write(lines as unknown as string);
  const collector = createLineCollector(passOn);
  return {
    write(line: string) {
      if (!closing) collector.write(line);
    },
    relay(lines: Uint8Array) {
      if (!closing) passOn(lines);
    },
    /** Does not use `flushSync`, which blocks forever if the reader is gone or has stopped reading. */
    async close() {
      collector.flush();
      closing = true;
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, CLOSE_TIMEOUT_MS);
        out.once('close', () => {
          clearTimeout(timeout);
          resolve();
        });
        out.end();
      });
      givenUp = true;
      out.destroy();
    },
  };
}

/** Logs only these fields of an error: a database driver may add others that contain values of a row. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
