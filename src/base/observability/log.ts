import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { styleText } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { systemClock } from '../clock.ts';
import { printable } from '../terminal/table.ts';
import type { Metrics } from './metrics.ts';

/**
 * How operators observe a running server: structured logs, Prometheus metrics, the port for metrics, and one log line per request. This folder does
 * not decide what is logged elsewhere, and services know only the interface in `base/log.ts`.
 */
export type { Logger } from 'pino';

export interface LogHandle {
  readonly log: Logger;
  relay(lines: Uint8Array): void;
  /** Writes all buffered lines. Call this before the process ends. Later lines are dropped. */
  close(): void;
}

/** If the reader of the output is stuck, the process ends after this time. */
const CLOSE_TIMEOUT_MS = 2_000;

export function createLog(level: string, stream?: DestinationStream, base: object | null = null): LogHandle {
  if (stream !== undefined) return writeTo(stream, level, base);
  if (level === 'silent') return writeTo({ write: () => undefined }, level);
  // Reading `process.stdout` makes a pipe or socket non-blocking, which `bufferOutput` relies on.
  const { write, ...handle } = bufferOutput(process.stdout.fd);
  return writeTo({ write }, level, null, handle);
}

/** Writes short lines for people, in colours if the terminal supports colours. */
export function createReadableLog(level: string, terminal: NodeJS.WritableStream): LogHandle {
  return writeTo({ write: (lines) => showLines(lines, terminal, 0) }, level);
}

/** Writes JSON lines to a private file of this user. Warnings and errors are also shown on the terminal, because the operator may have to act. */
export function createFileLog(level: string, file: string, terminal: NodeJS.WritableStream): LogHandle {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) renameSync(file, `${file}.old`);
  const fd = openSync(file, 'a', 0o600);
  const output = bufferOutput(fd);
  const write = (lines: string) => {
    output.write(lines);
    showLines(lines, terminal, WARNING);
  };
  return writeTo({ write }, level, null, {
    close() {
      output.close();
      closeSync(fd);
    },
  });
}

const WARNING = 40;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

function writeTo(out: DestinationStream, level: string, base: object | null = null, handle = {}): LogHandle {
  return {
    log: pino({ level, base: base && { ...base }, serializers: { err: describeError } }, out),
    relay: (lines) => out.write(Buffer.from(lines).toString()),
    close: () => undefined,
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

/** Shows lines of the log to people who watch a terminal: time, level, text, other fields. Colours follow `NO_COLOR`. */
function showLines(lines: string, stream: NodeJS.WritableStream, minLevel = 0): void {
  for (const line of lines.split('\n').filter(Boolean)) {
    const { level, time, ...fields } = JSON.parse(line);
    if (level < minLevel) continue;
    const clock = new Date(time).toTimeString().slice(0, 8);
    const colour = level < WARNING ? 'green' : 'red';
    const name = styleText(colour, String(pino.levels.labels[level]).padEnd(5), { stream });
    stream.write(`${clock} ${name} ${fields.msg === 'request' ? describeRequest(fields) : describeEvent(fields)}\n`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function describeRequest({ method, route, status, durationMs, aborted }: Fields): string {
  return printable(`${status} ${method} ${route} ${durationMs} ms${aborted ? ' aborted' : ''}`);
}

/** Leaves out ids, which are useful only when searching the log. */
function describeEvent({ msg, err, requestId: _request, accountId: _account, keyId: _key, ...fields }: Fields): string {
  const rest = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const { message, stack } = (err ?? {}) as Fields;
  const cause = String(stack ?? message ?? '');
  const causeLines = cause === '' ? [] : cause.split('\n').map((line) => `    ${printable(line)}`);
  return [printable(`${msg}${rest}`), ...causeLines].join('\n');
}

/** The log line of a request has the pattern of the route, and no URL, header or body: a key pasted into a query string must not reach the log. */
interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** Whether the client disconnected before the response was complete. */
  readonly aborted: true | undefined;
}

export type RecordRequest = (line: RequestLine) => void;

export function createRequestRecorder(log: Logger, metrics: Pick<Metrics, 'observeRequest'>): RecordRequest {
  // The lines of requests go past the logger, which takes several times as long to write one: a tenth of the time of a search.
  const out: DestinationStream = Reflect.get(log, pino.symbols.streamSym);
  const base = Object.entries(log.bindings()).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`,
  );
  const [start, end] = [`{"level":${pino.levels.values.info},${base.join('')}"time":`, ',"msg":"request"}\n'];
  return (line) => {
    metrics.observeRequest(line.method, line.route, line.status, line.durationMs / 1_000);
    if (log.isLevelEnabled('info'))
      out.write(`${start}${systemClock.now()},${JSON.stringify(line).slice(1, -1)}${end}`);
  };
}

/** Milliseconds since `startedAt`, in whole microseconds. */
export function measureDuration(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000;
}

const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** How often a write that failed because the reader is too slow is tried again. */
const RETRY_MS = 5;

/**
 * Collects lines and writes them in large pieces. When the process exits or crashes, the collected lines are written first. A pipe or socket has to be
 * non-blocking (see `createLog`), so a write takes microseconds and fails if the reader is too slow; the rest is written from a timer. Because no write
 * is in progress in another thread, the written part is always known. The server keeps serving when its log cannot be written.
 */
function bufferOutput(fd: number) {
  const collector = createLineCollector(write);
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  process.once('exit', writeRest);

  function writeWaiting(): void {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      try {
        const written = writeSync(fd, first);
        waitingBytes -= written;
        if (written < first.length) waiting[0] = first.subarray(written);
        else waiting.shift();
      } catch (error) {
        const code = Reflect.get(Object(error), 'code');
        if (code === 'EAGAIN' || code === 'EBUSY') return;
        // The reader has gone, or the disk is full. Writing is tried again with later lines.
        waiting.length = 0;
        waitingBytes = 0;
      }
    }
  }

  function proceed(): void {
    writeWaiting();
    timer = waiting.length === 0 ? undefined : setTimeout(proceed, RETRY_MS).unref();
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }

  return {
    write(line: string) {
      if (!isClosed) collector.write(line);
    },
    close() {
      isClosed = true;
      writeRest();
      process.off('exit', writeRest);
    },
  };
}

const PIECE_BYTES = 64 * 1024;
const MAX_DELAY_MS = 1_000;

/**
 * Collects log lines and passes them on in pieces, because a write or a message to another thread per line would cost more than
 * most requests. Lines are encoded as they arrive: encoding a long text of thousands of parts takes twice as long.
 */
export function createLineCollector(passOn: (lines: Buffer) => void) {
  let lines: Buffer[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const piece = Buffer.concat(lines);
    lines = [];
    length = 0;
    if (piece.length > 0) passOn(piece);
  }

  return {
    write(line: string): void {
      const bytes = Buffer.from(line);
      lines.push(bytes);
      length += bytes.length;
      if (length >= PIECE_BYTES) flush();
      // `unref`: the timer must not keep the thread alive.
      else timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
    flush,
  };
}
