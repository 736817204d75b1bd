import { fail } from '../core/errors.ts';
import type { StorePlace } from '../db/open.ts';
import { keepCompressed } from '../system/compression.ts';
import { openThread, type Thread } from '../system/thread.ts';
import type { Contents, LargeRecord, ReadContent, ReadLargeRecord, Want } from './large-record.ts';

/**
 * Reads large records in a separate thread, so that requests for other records do not wait for them. The thread starts
 * with the first large record and ends when none was read for a minute. It reads one record at a time. If it does not
 * answer in time, runs out of memory or crashes, the request fails and the next one starts a new thread.
 */
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

/** What `record-thread-worker.ts` does. */
export interface LargeRecordThread {
  read(record: LargeRecord, want: Want): Promise<Read>;
}

export function createRecordThread(location: StorePlace, options: RecordThreadOptions = {}) {
  const { maxWaiting = 16, timeoutMs = 10_000, idleMs = 60_000, script = SCRIPT } = options;
  let thread: Thread<LargeRecordThread> | undefined;
  /** Ends when the records before have been read. */
  let line: Promise<unknown> = Promise.resolve();
  /** The records that wait and the one that is being read. */
  let unfinished = 0;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function provideThread(): Thread<LargeRecordThread> {
    clearTimeout(idle);
    if (thread !== undefined && thread.ended === undefined) return thread;
    // Neither the idle thread nor the timer keeps the process alive.
    thread = openThread(script, {
      name: 'large records',
      data: location,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      inBackground: true,
    });
    return thread;
  }

  async function readNext(record: LargeRecord, want: Want): Promise<Read> {
    if (isClosed) throw fail('service_unavailable', { retryAfter: 1 });
    const reader = provideThread();
    const tooSlow = setTimeout(() => void reader.close(new Error('reading a large record took too long')), timeoutMs);
    try {
      return restoreBody(await reader.call('read', record, want));
    } catch (cause) {
      // Other errors are of the record, and the thread goes on.
      throw reader.ended === undefined ? cause : fail('service_unavailable', { cause, retryAfter: 1 });
    } finally {
      clearTimeout(tooSlow);
      idle = setTimeout(() => void reader.close(), idleMs).unref();
    }
  }

  function read(record: LargeRecord, want: Want): Promise<Read> {
    if (isClosed || unfinished > maxWaiting) return Promise.reject(fail('service_unavailable', { retryAfter: 1 }));
    unfinished++;
    const result = line.then(() => readNext(record, want)).finally(() => unfinished--);
    line = result.catch(() => undefined);
    return result;
  }

  return {
    read: read as ReadLargeRecord,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(idle);
      await thread?.close(new Error('the service is closing'));
      await line;
      clearTimeout(idle);
    },
  };
}

/** A buffer arrives as a plain byte array. */
function restoreBody(found: Read): Read {
  if (!(found?.content instanceof Uint8Array)) return found;
  const { buffer, byteOffset, byteLength } = found.content;
  return { ...found, content: Buffer.from(buffer, byteOffset, byteLength) };
}

/**
 * Keeps the bodies of the large records that were read last, so that a client that requests one again and again costs
 * neither time in the thread nor memory per request. Requests for the same content at the same time share one read.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export function keepLargeBodies(read: ReadLargeRecord, maxBytes = MAX_KEPT_BYTES): ReadLargeRecord {
  /** The least recently used first. */
  const kept = new Map<string, { readonly version: string; readonly content: Buffer }>();
  const reading = new Map<string, Promise<Read>>();
  let bytes = 0;

  function forget(id: string): void {
    bytes -= kept.get(id)?.content.length ?? 0;
    kept.delete(id);
  }

  function keep(id: string, found: Read): Read {
    if (!Buffer.isBuffer(found?.content) || found.content.length > maxBytes) return found;
    const { version, content } = found;
    forget(id);
    kept.set(id, { version, content: keepCompressed(content) });
    bytes += content.length;
    for (const oldest of kept.keys()) if (bytes > maxBytes) forget(oldest);
    return found;
  }

  async function find(record: LargeRecord, want: Want): Promise<Read> {
    const { id, version } = record;
    const known = want.kind === 'body' ? kept.get(id) : undefined;
    if (known?.version === version) {
      kept.delete(id);
      kept.set(id, known);
      return known;
    }
    const key = JSON.stringify([id, version, want]);
    const started = reading.get(key) ?? read(record, want).finally(() => reading.delete(key));
    reading.set(key, started);
    return keep(id, await started);
  }

  return find as ReadLargeRecord;
}
