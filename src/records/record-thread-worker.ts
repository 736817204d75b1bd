import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../core/errors.ts';
import { type Location, openExistingStore } from '../db/open.ts';
import {
  type Contents,
  createLargeRecordReader,
  type LargeRecord,
  type ReadContent,
  type Want,
} from './large-record.ts';

/** The thread that reads large records, one at a time. It has its own connection to the store. */
export interface RecordTask {
  readonly record: LargeRecord;
  readonly want: Want;
}

export type RecordMessage =
  | { readonly type: 'read'; readonly found: ReadContent<Contents[Want['kind']]> | undefined }
  | { readonly type: 'failed'; readonly isUnavailable: boolean; readonly reason: string };

const db = openExistingStore('registry', { ...(workerData as Pick<Location, 'databaseUrl' | 'dataDir'>), poolSize: 1 });
const read = createLargeRecordReader(db);

function send(message: RecordMessage, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

async function answer({ record, want }: RecordTask): Promise<void> {
  try {
    const found = await read(record, want);
    if (typeof found?.content !== 'string') return send({ type: 'read', found });
    const body = new TextEncoder().encode(found.content);
    // Moved, not copied: copying 27 MB would block the other thread.
    send({ type: 'read', found: { ...found, content: Buffer.from(body.buffer) } }, [body.buffer]);
  } catch (error) {
    const isUnavailable = error instanceof Failure && error.code === 'service_unavailable';
    send({ type: 'failed', isUnavailable, reason: String(error) });
  }
}

parentPort?.on('message', (task: RecordTask) => void answer(task));
