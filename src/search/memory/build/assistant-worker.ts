import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openExistingStore } from '../../../db/open.ts';
import { readVersion } from '../../../db/version.ts';
import { dumpEntities } from '../../store.ts';
import type { DocSet } from '../sets.ts';
import type { AssistantMessage, AssistantTask } from './assistant-messages.ts';
import { findInWords } from './broad.ts';
import { viewChunk } from './chunk.ts';
import { PADDING } from './growing-arrays.ts';
import { type Order, settleOrder } from './order.ts';
import { rowColumns } from './rows.ts';
import { sortSuffixes } from './suffixes.ts';
import { layOutTexts } from './text-columns.ts';
import { addTextRows, createTextRows } from './text-rows.ts';

/** The second thread of a build: see `assistant.ts`. */
if (parentPort === null) throw new Error('this file runs as a worker thread');
const port = parentPort;
const tasks = on(port, 'message')[Symbol.asyncIterator]();
const send = (message: AssistantMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

async function nextTask(): Promise<AssistantTask> {
  const { value } = await tasks.next();
  return value?.[0];
}

/** A buffer that the other thread has finished with, or a new one if it is too small. */
async function nextBuffer(length: number): Promise<SharedArrayBuffer> {
  const task = await nextTask();
  const { byteLength } = task.type === 'more' ? task.buffer : { byteLength: 0 };
  return task.type === 'more' && byteLength >= length ? task.buffer : new SharedArrayBuffer(2 * length);
}

const rows = createTextRows();
const db = openExistingStore('registry', workerData);
await db.snapshot(async (view) => {
  send({ type: 'version', version: await readVersion(view) });
  for await (const bytes of dumpEntities(view, rowColumns)) {
    const buffer = await nextBuffer(bytes.length + PADDING);
    const chunk = viewChunk(buffer, bytes.length);
    chunk.bytes.set(bytes);
    send({ type: 'chunk', buffer, length: bytes.length });
    addTextRows(rows, chunk);
  }
});
await db.close();
send({ type: 'end' });

let order: Order | undefined;
for (let task = await nextTask(); ; task = await nextTask()) {
  if (task.type === 'suffixes') send({ type: 'suffixes', suffixes: sortSuffixes(task.vocabulary) });
  else if (task.type === 'order') {
    order = task.order;
    settleOrder(order, rows);
    send({ type: 'order' });
  } else if (task.type === 'texts' && order !== undefined) {
    send({ type: 'texts', columns: layOutTexts(rows, order.rows) });
  } else if (task.type === 'broad') {
    const found = findInWords(task.input.arrays, task.input.docCount, task.input.threshold);
    send({ type: 'broad', found }, listBuffers(found));
    break;
  }
}
port.close();

/** Several fragments may have the same set. */
function listBuffers(found: ReadonlyMap<string, DocSet>): ArrayBuffer[] {
  const arrays = [...new Set(found.values())].flatMap(({ list, bitmap }) => list ?? [bitmap?.bits, bitmap?.counts]);
  return [...new Set(arrays.flatMap((array) => (array?.buffer instanceof ArrayBuffer ? array.buffer : [])))];
}
