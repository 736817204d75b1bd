import { keepCompressed } from '../system/compression.ts';
import type { Contents, LargeRecord, ReadContent, ReadLargeRecord, Want } from './large-record.ts';

/**
 * Keeps the bodies of the large records that were read last, so that a client that requests one again and again costs
 * neither time in the thread nor memory per request. Requests for the same content at the same time share one read.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

type Read = ReadContent<Contents[Want['kind']]> | undefined;

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
