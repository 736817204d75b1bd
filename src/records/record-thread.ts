import { Worker } from 'node:worker_threads';
import { fail } from '../core/errors.ts';
import type { Location } from '../db/open.ts';
import type { Contents, ReadContent, ReadLargeRecord, Want } from './large-record.ts';
import type { RecordMessage, RecordTask } from './record-thread-worker.ts';

/**
 * Reads large records in a separate thread, so that requests for other records do not wait for them. The thread starts
 * with the first large record and ends when none was read for a minute. It reads one record at a time. If it does not
 * answer in time, runs out of memory or crashes, the request fails and the next one starts a new thread.
 */
export interface RecordThread {
  readonly read: ReadLargeRecord;
  close(): Promise<void>;
}

export interface RecordThreadOptions {
  /** How many records may wait for the thread. More would wait for seconds: their clients try again instead. */
  readonly maxWaiting?: number;
  /** How long reading one record may take. */
  readonly timeoutMs?: number;
  /** How long the thread is kept after its last record. */
  readonly idleMs?: number;
  readonly script?: URL;
}

/** Twenty times what a company with 20,000 establishments needs. A larger record fails without harm to the process. */
const MAX_HEAP_MB = 2_048;

type Read = ReadContent<Contents[Want['kind']]> | undefined;

const SCRIPT = new URL('record-thread-worker.ts', import.meta.url);

interface Pending extends RecordTask {
  resolve(found: Read): void;
  reject(error: unknown): void;
}

export function createRecordThread(
  location: Pick<Location, 'databaseUrl' | 'dataDir'>,
  options: RecordThreadOptions = {},
): RecordThread {
  const { maxWaiting = 16, timeoutMs = 10_000, idleMs = 60_000, script = SCRIPT } = options;
  const waiting: Pending[] = [];
  let running: Pending | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(script, {
      workerData: location,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    started.on('message', (message: RecordMessage) => {
      if (started === worker) settle(message);
    });
    started.on('error', (error) => stop(started, error instanceof Error ? error : new Error(String(error))));
    started.on('exit', (code) => stop(started, new Error(`the thread ended with code ${code}`)));
    return started;
  }

  /** Fails the record being read; the ones that wait are read by a new thread. */
  function stop(stopped: Worker, cause: Error): void {
    if (stopped !== worker) return;
    worker = undefined;
    void stopped.terminate();
    const failed = running;
    running = undefined;
    clearTimeout(timer);
    failed?.reject(fail('service_unavailable', { cause, retryAfter: 1 }));
    readNext();
  }

  function settle(message: RecordMessage): void {
    const done = running;
    running = undefined;
    clearTimeout(timer);
    if (message.type === 'read') done?.resolve(restoreBody(message.found));
    else {
      const cause = new Error(message.reason);
      done?.reject(message.isUnavailable ? fail('service_unavailable', { cause, retryAfter: 1 }) : cause);
    }
    readNext();
  }

  function readNext(): void {
    if (running !== undefined) return;
    running = waiting.shift();
    if (running === undefined) {
      const idle = worker;
      if (idle === undefined) return;
      // Neither the thread nor the timer keeps the process alive.
      idle.unref();
      timer = setTimeout(() => stop(idle, new Error('idle')), idleMs).unref();
      return;
    }
    worker ??= start();
    const reader = worker;
    reader.ref();
    timer = setTimeout(() => stop(reader, new Error('reading a large record took too long')), timeoutMs);
    const { record, want } = running;
    reader.postMessage({ record, want } satisfies RecordTask);
  }

  function read(record: RecordTask['record'], want: Want): Promise<Read> {
    return new Promise((resolve, reject) => {
      if (isClosed || waiting.length >= maxWaiting) return reject(fail('service_unavailable', { retryAfter: 1 }));
      waiting.push({ record, want, resolve, reject });
      if (running === undefined) clearTimeout(timer);
      readNext();
    });
  }

  return {
    read: read as ReadLargeRecord,
    async close() {
      isClosed = true;
      const closing = worker;
      for (const { reject } of waiting.splice(0)) reject(fail('service_unavailable', { retryAfter: 1 }));
      if (closing !== undefined) stop(closing, new Error('the service is closing'));
      clearTimeout(timer);
      await closing?.terminate();
    },
  };
}

/** A buffer arrives as a plain byte array. */
function restoreBody(found: Read): Read {
  if (!(found?.content instanceof Uint8Array)) return found;
  const { buffer, byteOffset, byteLength } = found.content;
  return { ...found, content: Buffer.from(buffer, byteOffset, byteLength) };
}
