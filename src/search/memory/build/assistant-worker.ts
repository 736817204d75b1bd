import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../../../db/open.ts';
import { readVersion } from '../../../db/version.ts';
import { dumpEntities } from '../../store.ts';
import type { AssistantMessage, AssistantTask } from './assistant-messages.ts';
import { layOutColumns } from './columns.ts';
import { rowColumns } from './rows.ts';

/** The second thread of a build: sends the rows of the store, one chunk per `more`, then lays out the columns. */
if (parentPort === null) throw new Error('this file runs as a worker thread');
const port = parentPort;
const tasks = on(port, 'message')[Symbol.asyncIterator]();
const send = (message: AssistantMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

async function nextTask(): Promise<AssistantTask> {
  const { value } = await tasks.next();
  return value?.[0];
}

const db = openStore('registry', workerData);
await db.snapshot(async (view) => {
  send({ type: 'version', version: await readVersion(view) });
  for await (const bytes of dumpEntities(view, rowColumns)) {
    await nextTask();
    // Only a complete buffer can be transferred; a chunk that is part of a larger one is copied first.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
    send({ type: 'chunk', bytes: whole }, [whole.buffer as ArrayBuffer]);
  }
});
await db.close();
send({ type: 'end' });

for (let task = await nextTask(); ; task = await nextTask()) {
  if (task.type === 'columns') {
    send({ type: 'columns', columns: layOutColumns(task.input, task.order) });
    break;
  }
}
port.close();
