import { openExistingStore, type StorePlace } from '../db/open.ts';
import { deliver, readThreadData, serveThread } from '../system/thread-worker.ts';
import { createLargeRecordReader } from './large-record.ts';
import type { LargeRecordThread } from './record-thread.ts';

/** The thread that reads large records, one at a time. It has its own connection to the store. */
const location = readThreadData<StorePlace>();
const read = createLargeRecordReader(openExistingStore('registry', { ...location, poolSize: 1 }));

void serveThread<LargeRecordThread>({
  async read(record, want) {
    const found = await read(record, want);
    if (typeof found?.content !== 'string') return found;
    const body = new TextEncoder().encode(found.content);
    // Moved, not copied: copying 27 MB would block the other thread.
    return deliver({ ...found, content: Buffer.from(body.buffer) }, [body.buffer]);
  },
});
