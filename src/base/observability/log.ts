import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { styleText } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { printable } from '../terminal/printable.ts';

/**
 * How operators observe a running server: structured logs, Prometheus metrics, the port for metrics, and one log line per request. This folder does
 * not decide what is logged elsewhere, and services know only the interface in `base/log.ts`.
 */
export type { Logger } from 'pino';

export interface LogHandle {
  readonly log: Logger;
  /** Writes complete lines from the log of another thread. */
  relay(lines: Uint8Array): void;
  /** Writes all buffered lines. Call this before the process ends. Later lines are dropped. */
  close(): Promise<void>;
}

/** If the reader of the output is stuck, the process ends after this time. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Writes JSON lines to standard output, or to `stream`. */
export function createLog(level: string, stream?: DestinationStream, base: object | null = null): LogHandle {
  if (stream !== undefined) return writeTo(stream, level, base);
  if (level === 'silent') return writeTo({ write: () => undefined }, level, base);
  // Reading `process.stdout` makes a pipe or socket non-blocking, which `bufferOutput` relies on.
  const { write, ...handle } = bufferOutput(process.stdout.fd);
  return writeTo({ write }, level, base, handle);
}

/** Writes short lines for people, in colours if the terminal supports colours. */
export function createReadableLog(level: string, terminal: NodeJS.WritableStream): LogHandle {
  return writeTo({ write: (lines) => showLines(lines, terminal) }, level, null);
}

/** Warnings are shown on the terminal even if the log is written to a file, because the operator may have to act. */
const WARNING = 40;

/** Writes JSON lines to a private file of this user. Warnings and errors are also shown on the terminal. */
export function createFileLog(level: string, file: string, terminal: NodeJS.WritableStream): LogHandle {
  keepOneOldFile(file);
  const fd = openSync(file, 'a', 0o600);
  const { write, close, relay } = bufferOutput(fd);
  const showWarnings = (lines: string) => showLines(lines, terminal, WARNING);
  const both = (lines: string) => {
    write(lines);
    showWarnings(lines);
  };
  return writeTo({ write: both }, level, null, {
    relay(lines) {
      relay(lines);
      showWarnings(Buffer.from(lines).toString());
    },
    async close() {
      await close();
      closeSync(fd);
    },
  });
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** At the start, renames a large file, which replaces the file that was renamed before. */
function keepOneOldFile(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) renameSync(file, `${file}.old`);
}

function showLines(lines: string, terminal: NodeJS.WritableStream, minLevel = 0): void {
  for (const line of lines.split('\n')) {
    const level = Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? -1);
    if (level >= minLevel) terminal.write(renderReadable(line, terminal));
  }
}

function writeTo(
  out: DestinationStream,
  level: string,
  base: object | null,
  handle: Partial<LogHandle> = {},
): LogHandle {
  return {
    log: pino({ level, base: base && { ...base }, serializers: { err: describeError } }, out),
    relay: (lines) => out.write(Buffer.from(lines).toString()),
    close: () => Promise.resolve(),
    ...handle,
  };
}

/** Logs only a few fields of an error: a database driver may add fields that contain values of a row. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}

type Fields = Readonly<Record<string, unknown>>;

const LEVELS: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info', 'green'],
  40: ['warning', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/** Fields that every line has, and ids that are useful only when searching the log. */
const HIDDEN = new Set(['level', 'time', 'msg', 'err', 'requestId', 'accountId', 'keyId']);

/** A line of the log for people who watch a terminal: time, level, text, other fields. Colours follow `NO_COLOR`. */
function renderReadable(line: string, stream: NodeJS.WritableStream): string {
  const fields = JSON.parse(line) as Fields;
  const [level, colour] = LEVELS[Number(fields.level)] ?? ['', 'reset'];
  const paint = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const time = new Date(Number(fields.time)).toTimeString().slice(0, 8);
  const start = `${paint('dim', time)} ${paint(colour, level.padEnd(7))}`;
  return `${start} ${fields.msg === 'request' ? describeRequest(fields) : describeEvent(fields)}\n`;
}

function describeRequest({ method, route, status, durationMs, aborted, reason }: Fields): string {
  const end = [aborted === true ? 'aborted' : undefined, reason].filter((part) => part !== undefined).join(', ');
  return printable(`${status} ${method} ${route} ${durationMs} ms ${end}`).trimEnd();
}

function describeEvent({ msg, err, ...fields }: Fields): string {
  const shown = Object.entries(fields).filter(([name]) => !HIDDEN.has(name));
  const rest = shown.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(shown))}`;
  const { message, stack } = (err ?? {}) as Fields;
  const cause = String(stack ?? message ?? '');
  const text = printable(`${msg}${rest}`);
  return cause === '' ? text : [text, ...cause.split('\n').map((part) => `    ${printable(part)}`)].join('\n');
}

const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MIN_RETRY_MS = 1;
const MAX_RETRY_MS = 100;
/** How often `writeRest`, which blocks the thread, tries to write. */
const BLOCKED_RETRY_MS = 5;

/**
 * Collects lines and writes them in large pieces. When the process exits or crashes, the collected lines are written first. A pipe or socket has to be
 * non-blocking (see `createLog`), so a write takes microseconds and fails if the reader is too slow; the rest is written from a timer. Because no write
 * is in progress in another thread, the written part is always known. The server keeps serving when its log cannot be written.
 */
function bufferOutput(fd: number) {
  const collector = createLineCollector(write);
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let retryMs = MIN_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  process.once('exit', writeRest);

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
        // The reader has gone, or the disk is full. Writing is tried again with later lines.
        waiting.length = 0;
        waitingBytes = 0;
      }
    }
  }

  function proceed(): void {
    timer = undefined;
    writeWaiting();
    if (waiting.length === 0) return;
    timer = setTimeout(proceed, retryMs).unref();
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  }

  /** If the output is not read, bytes beyond a bound are dropped, so that they do not fill the memory. */
  function write(bytes: Uint8Array): void {
    if (waitingBytes + bytes.length > MAX_WAITING_BYTES) return;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (timer === undefined) proceed();
  }

  /** Blocks the thread until everything is written, the output is broken, or the time-out has passed. */
  function writeRest(): void {
    collector.flush();
    const until = performance.now() + CLOSE_TIMEOUT_MS;
    for (writeWaiting(); waiting.length > 0 && performance.now() < until; writeWaiting()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_RETRY_MS);
    }
  }

  return {
    write(line: string) {
      if (!isClosed) collector.write(line);
    },
    relay(lines: Uint8Array) {
      if (!isClosed) write(lines);
    },
    async close() {
      isClosed = true;
      writeRest();
      process.off('exit', writeRest);
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

const PIECE_BYTES = 64 * 1024;
/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const MAX_DELAY_MS = 1_000;

/**
 * Collects log lines and passes them on in pieces, because a write or a message to another thread per line would cost more than
 * most requests. Lines are encoded as they arrive: encoding a long text of thousands of parts takes twice as long.
 */
export function createLineCollector(passOn: (lines: Buffer) => void) {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const lines = piece.subarray(0, length);
    piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    length = 0;
    passOn(lines);
  }

  return {
    write(line: string): void {
      const most = line.length * MAX_BYTES_PER_UNIT;
      if (length + most > PIECE_BYTES) flush();
      if (most > PIECE_BYTES) {
        passOn(Buffer.from(line));
        return;
      }
      length += piece.write(line, length);
      // `unref`: the timer must not keep the thread alive.
      timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
    flush,
  };
}
