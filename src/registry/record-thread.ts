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

/** More would wait for seconds. The client tries again instead. */
const MAX_WAITING = 16;
const TIMEOUT_MS = 5_000;
const IDLE_MS = 60_000;
/** Twenty times what a company with 20,000 establishments needs. A larger record fails without harm to the process. */
const MAX_HEAP_MB = 2_048;

type Read = ReadContent<Contents[Want['kind']]> | undefined;

interface Pending extends RecordTask {
  resolve(found: Read): void;
  reject(error: unknown): void;
}

export function createRecordThread(location: Pick<Location, 'databaseUrl' | 'dataDir'>): RecordThread {
  const waiting: Pending[] = [];
  let running: Pending | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('record-thread-worker.ts', import.meta.url), {
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
      worker?.unref();
      timer = setTimeout(() => idle && stop(idle, new Error('idle')), IDLE_MS).unref();
      return;
    }
    worker ??= start();
    const reader = worker;
    reader.ref();
    timer = setTimeout(() => stop(reader, new Error('reading a large record took too long')), TIMEOUT_MS);
    const { record, want } = running;
    reader.postMessage({ record, want } satisfies RecordTask);
  }

  function read(record: RecordTask['record'], want: Want): Promise<Read> {
    return new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) return reject(fail('service_unavailable', { retryAfter: 1 }));
      waiting.push({ record, want, resolve, reject });
      if (running === undefined) clearTimeout(timer);
      readNext();
    });
  }

  return {
    read: read as ReadLargeRecord,
    async close() {
      clearTimeout(timer);
      const closing = worker;
      worker = undefined;
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
