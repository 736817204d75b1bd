import { workerData } from 'node:worker_threads';
import { readKeys, type Selection } from '../records/bulk/bulk.ts';
import { type PartOptions, planParts } from './parts.ts';
import type { ThreadData } from './thread.ts';
import { serveTasks } from './thread-view.ts';

/** The thread that sorts the keys. Each task asks for the next file to write. SQLite blocks the thread while it sorts. */
export interface SortData extends ThreadData {
  readonly selection: Selection;
  readonly parts: PartOptions;
}

const { selection, parts } = workerData as SortData;

await serveTasks<'next'>((view) => {
  const planned = planParts(readKeys(view, selection), parts);
  return async () => (await planned.next()).value;
});
