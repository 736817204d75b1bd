import { Worker } from 'node:worker_threads';
import { FormatError } from '../formats/rows.ts';
import type { MappedBatch } from './map-part.ts';
import type { Message, Task } from './map-thread-worker.ts';
import type { Problems } from './problems.ts';

/** Batches the thread may be ahead: bounds memory when the database is the slower one. */
export const AHEAD = 4;

/**
 * The same batches as `mapJob`, read and mapped in a thread of their own while this one writes: reading and mapping a row
 * takes about as long as storing it, so a large import takes half the time on two cores.
 */
export async function* mapJobInThread(
  task: Task,
  problems: Problems,
  onBytes: (count: number) => void,
): AsyncGenerator<MappedBatch> {
  const worker = new Worker(new URL('map-thread-worker.ts', import.meta.url), { workerData: task });
  const inbox = createInbox(worker);
  try {
    for (;;) {
      const message = await inbox.next();
      if (message.type === 'end') return;
      if (message.type === 'failed') throw restoreError(message);
      for (const [method, ...values] of message.notes) Reflect.apply(problems[method], problems, values);
      onBytes(message.bytes);
      yield message.batch;
      worker.postMessage('next');
    }
  } finally {
    await worker.terminate();
  }
}

function createInbox(worker: Worker) {
  const arrived: Message[] = [];
  let waiting: { resolve(message: Message): void; reject(error: unknown): void } | undefined;
  worker.on('message', (message: Message) => {
    if (waiting === undefined) arrived.push(message);
    else waiting.resolve(message);
    waiting = undefined;
  });
  worker.on('error', (error) => {
    waiting?.reject(error);
    arrived.push({ type: 'failed', name: 'Error', message: String(error) });
  });
  return {
    next: () => {
      const message = arrived.shift();
      if (message !== undefined) return Promise.resolve(message);
      return new Promise<Message>((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
  };
}

/** Only name and text of an error cross threads. */
function restoreError({ name, message }: Extract<Message, { type: 'failed' }>): Error {
  return name === 'FormatError' ? new FormatError(message) : new Error(message);
}
