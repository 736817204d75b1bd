import { parentPort, workerData } from 'node:worker_threads';
import { type Location, openStore } from '../../db/open.ts';
import { readVersion } from '../../db/version.ts';
import { buildIndex } from './build/build.ts';
import { loadIndex, saveIndex } from './index-file.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * The thread that provides an index: from the file if that matches the current data, otherwise built from the store. It
 * delivers the index before saving it, so that search does not wait for the disk.
 */
export interface IndexTask {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly file: string;
}

export type IndexMessage =
  | { readonly type: 'index'; readonly index: SearchIndex; readonly loaded: boolean; readonly seconds: number }
  | { readonly type: 'unsaved'; readonly reason: string };

const { location, file } = workerData as IndexTask;
const send = (message: IndexMessage) => parentPort?.postMessage(message);
const db = openStore('registry', location);
try {
  const started = performance.now();
  const loaded = await loadIndex(file, await readVersion(db));
  const index = loaded ?? (await buildIndex(location));
  send({ type: 'index', index, loaded: loaded !== undefined, seconds: (performance.now() - started) / 1000 });
  if (loaded === undefined) {
    await saveIndex(file, index).catch((error: unknown) => send({ type: 'unsaved', reason: String(error) }));
  }
  // An import cannot empty the write-ahead log while this thread reads what it has published.
  await db.shrinkLog().catch(() => false);
} finally {
  await db.close();
}
