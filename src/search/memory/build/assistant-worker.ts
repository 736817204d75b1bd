import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../../../db/open.ts';
import { dumpEntities, readVersion } from '../../store.ts';
import { type ColumnInput, type Columns, layOutColumns } from './columns.ts';

/** The second thread of a build: sends the store, chunk by chunk, as far ahead as it is told, then lays out the columns. */
export type AssistantTask =
  | { readonly type: 'more' }
  | { readonly type: 'columns'; readonly input: ColumnInput; readonly order: Uint32Array };

export type AssistantMessage =
  | { readonly type: 'version'; readonly version: string }
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'columns'; readonly columns: Columns };

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
  for await (const bytes of dumpEntities(view)) {
    await nextTask();
    // A chunk that is part of a larger buffer is copied, whole ones are handed over.
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
