import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { createLineCollector } from './line-collector.ts';
import { createOutput } from './output.ts';
import { renderReadable } from './readable-line.ts';
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

/** If the output is not read, the process ends after this time. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Writes JSON lines to standard output, or to `stream`. */
export function createLog(level: string, stream?: DestinationStream, base: object | null = null): LogHandle {
  if (stream !== undefined) return writeTo(stream, level, base);
  if (level === 'silent') return writeTo({ write: () => undefined }, level, base);
  // Reading `process.stdout` makes a pipe or socket non-blocking, which `output.ts` relies on.
  const { write, ...handle } = bufferOutput(process.stdout.fd);
  return writeTo({ write }, level, base, handle);
}

/** Writes short lines for people, in colours if the terminal has them. */
export function createReadableLog(level: string, terminal: NodeJS.WritableStream): LogHandle {
  return writeTo({ write: (lines) => showLines(lines, terminal) }, level, null);
}

/** Warnings are shown on the terminal even if the log is written to a file: something may have to be done. */
const WARNING = 40;

/** Writes JSON lines to a file of this user. Warnings and errors are shown on the terminal, too. */
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

/** A large file is put aside at the start, in place of the one before it. */
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
  const log = pino({ level, base: base && { ...base }, serializers: { err: describeError } }, out);
  const ofThread = base === null ? '' : `,${JSON.stringify(base).slice(1, -1)}`;
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
}

/** Writes lines in large pieces. Lines that are collected when the process exits or crashes are written then. */
function bufferOutput(fd: number) {
  let closing = false;
  const out = createOutput(fd);
  const collector = createLineCollector(out.write);
  process.once('exit', writeRest);
  function writeRest(): void {
    collector.flush();
    out.drainNow(CLOSE_TIMEOUT_MS);
  }
  return {
    write(line: string) {
      if (!closing) collector.write(line);
    },
    relay(lines: Uint8Array) {
      if (!closing) out.write(lines);
    },
    async close() {
      collector.flush();
      closing = true;
      await out.drain(CLOSE_TIMEOUT_MS);
      process.off('exit', writeRest);
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
