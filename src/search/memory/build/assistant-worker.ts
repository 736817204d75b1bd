import type { Snapshot } from '../../../base/db/db.ts';
import { openExistingStore } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { deliver, readThreadData, serveThread } from '../../../base/system/thread-worker.ts';
import { dumpEntities } from '../../store.ts';
import type { AssistantThread, SentChunk } from './assistant.ts';
import { type BroadWord, findBroadWords } from './broad-words.ts';
import { rowColumns, viewChunk } from './chunk.ts';
import { PADDING } from './growing-arrays.ts';
import { sortEqualNames } from './order.ts';
import { sortSuffixes } from './suffixes.ts';
import { addTextRows, createTextRows, layOutTexts } from './texts.ts';

/**
 * The second thread of a build: see `assistant.ts`. Chunks take turns in a few buffers. One buffer more than there may be unused
 * chunks is enough: when a chunk is made, all but the last `MAX_CHUNKS_AHEAD` have been used.
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

const rows = createTextRows();
let sorted: Uint32Array = new Uint32Array(0);

const opened = Promise.withResolvers<Snapshot>();
const isRead = Promise.withResolvers<void>();
const db = openExistingStore('registry', readThreadData());
const reading = db.snapshot(async (view) => {
  opened.resolve(view);
  await isRead.promise;
});
// An error is not handled, so it ends the thread.
void reading.finally(() => db.close());

async function* read(): AsyncGenerator<SentChunk> {
  let number = 0;
  for await (const bytes of dumpEntities(await opened.promise, rowColumns)) {
    const buffer = provideBuffer(number++, bytes.length + PADDING);
    const chunk = viewChunk(buffer, bytes.length);
    chunk.bytes.set(bytes);
    yield { buffer, length: bytes.length };
    addTextRows(rows, chunk);
  }
  isRead.resolve();
}

/** Several fragments may have the same set. */
function listBuffers(found: ReadonlyMap<string, BroadWord>): ArrayBuffer[] {
  const sets = new Set([...found.values()].flatMap(({ inside, start, whole }) => [inside, start, whole]));
  const arrays = [...sets].flatMap(({ list, bitmap }) => list ?? [bitmap?.bits, bitmap?.counts]);
  return [...new Set(arrays.flatMap((array) => (array?.buffer instanceof ArrayBuffer ? array.buffer : [])))];
}

void serveThread<AssistantThread>(
  {
    findVersion: async () => findVersion(await opened.promise),
    read,
    sortSuffixes,
    sortEqualNames(order) {
      sortEqualNames(order, rows);
      sorted = order.rows;
    },
    layOutTexts: (threshold) => layOutTexts(rows, sorted, threshold),
    findBroadWords(...input) {
      const found = findBroadWords(...input);
      return deliver(found, listBuffers(found));
    },
  },
  { maxAhead: MAX_CHUNKS_AHEAD },
);
