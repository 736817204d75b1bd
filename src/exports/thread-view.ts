import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Snapshot } from '../db/db.ts';
import { openExistingStore } from '../db/open.ts';
import { type Moment, readMoment } from '../records/bulk/bulk.ts';
import type { ThreadData, ThreadMessage } from './thread.ts';

export type Send = (message: ThreadMessage) => void;

/** The thread's side of `thread.ts`: opens a snapshot, says what it shows, and runs tasks on it until there are no more. */
export async function serveTasks<Task>(
  prepare: (view: Snapshot, moment: Moment, send: Send) => (task: Task) => Promise<unknown>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file runs in a thread');
  const { location } = workerData as ThreadData;
  const send: Send = (message) => port.postMessage(message);
  const db = openExistingStore('registry', { ...location, poolSize: 1 });
  try {
    await db.snapshot(async (view) => {
      const moment = await readMoment(view);
      const run = prepare(view, moment, send);
      send({ type: 'ready', moment });
      for (;;) {
        const [next] = (await once(port, 'message')) as [{ readonly task: Task } | undefined];
        if (next === undefined) return;
        send({ type: 'done', result: await run(next.task) });
      }
    });
  } finally {
    await db.close();
  }
  port.close();
}
