import type { Snapshot } from '../../../base/db/db.ts';
import { openExistingStore } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { readThreadData, serveThread } from '../../../base/system/thread-worker.ts';
import { dumpEntities } from '../../store.ts';
import { type AssistantThread, createTextWork } from './assistant.ts';
import { rowColumns, viewChunk } from './chunk.ts';
import { PADDING } from './growing-arrays.ts';

/**
 * The second thread of a build: see `assistant.ts`. Chunks take turns in `MAX_CHUNKS_AHEAD` + 1 buffers. This number is enough: when a
 * chunk is made, all but the last `MAX_CHUNKS_AHEAD` chunks have been used.
 */
const MAX_CHUNKS_AHEAD = 7;
const buffers: SharedArrayBuffer[] = [];

function provideBuffer(number: number, length: number): SharedArrayBuffer {
  const at = number % (MAX_CHUNKS_AHEAD + 1);
  const kept = buffers[at];
  if (kept !== undefined && kept.byteLength >= length) return kept;
  const buffer = new SharedArrayBuffer(2 * length);
  buffers[at] = buffer;
  return buffer;
}

const { add, functions } = createTextWork();

const opened = Promise.withResolvers<Snapshot>();
const isRead = Promise.withResolvers<void>();
const db = openExistingStore('registry', readThreadData());
const reading = db.snapshot(async (view) => {
  opened.resolve(view);
  await isRead.promise;
});
// An error is not handled here, so that it ends the thread.
void reading.finally(() => db.close());

async function* read(): ReturnType<AssistantThread['read']> {
  let number = 0;
  for await (const bytes of dumpEntities(await opened.promise, rowColumns)) {
    const buffer = provideBuffer(number++, bytes.length + PADDING);
    const chunk = viewChunk(buffer, bytes.length);
    chunk.bytes.set(bytes);
    yield { buffer, length: bytes.length };
    add(chunk);
  }
  isRead.resolve();
}

void serveThread<AssistantThread>(
  { findVersion: async () => findVersion(await opened.promise), read, ...functions },
  { maxAhead: MAX_CHUNKS_AHEAD },
);
