import type { Snapshot } from '../../../base/db/db.ts';
import { openExistingStore } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { deliver, readThreadData, serveThread } from '../../../base/system/thread.ts';
import { dumpEntities } from '../../store.ts';
import { type AssistantThread, createTextWork } from './assistant.ts';
import { copyChunk, rowColumns } from './chunk.ts';

/** The second thread of a build: see `assistant.ts`. */

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

async function* read() {
  for await (const bytes of dumpEntities(await opened.promise, rowColumns)) {
    const chunk = copyChunk(bytes);
    add(chunk);
    const buffer = chunk.bytes.buffer as ArrayBuffer;
    yield deliver({ buffer, length: bytes.length }, [buffer]);
  }
  isRead.resolve();
}

void serveThread<AssistantThread>({ findVersion: async () => findVersion(await opened.promise), read, ...functions });
