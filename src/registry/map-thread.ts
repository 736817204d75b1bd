import { Worker } from 'node:worker_threads';
import { FormatError } from '../formats/rows.ts';
import type { MappedBatch } from './map-part.ts';
import type { Message, Task } from './map-thread-worker.ts';
import type { Problems } from './problems.ts';

/** Batches the thread may be ahead: bounds memory when the database is the slower one. */
export const AHEAD = 4;

/**
 * The same batches as `mapJob` in the same order, read and mapped by threads while this one writes. Each reads the whole file,
 * which is little work, and maps its share of it, which is much; their batches are taken in turn.
 */
export async function* mapJobInThreads(
  task: Omit<Task, 'share'>,
  count: number,
  problems: Problems,
  onBytes: (count: number) => void,
): AsyncGenerator<MappedBatch> {
  const threads = Array.from({ length: count }, (_, index) => startThread({ ...task, share: { index, of: count } }));
  try {
    for (let turn = 0; ; turn++) {
      const { worker, inbox } = threads[turn % count] as (typeof threads)[0];
      const message = await inbox.next();
      if (message.type === 'failed') throw restoreError(message);
      for (const [method, ...values] of message.notes) Reflect.apply(problems[method], problems, values);
      // Whose turn it is has no more: then nobody has.
      if (message.type === 'end') return;
      onBytes(message.bytes);
      yield message.batch;
      worker.postMessage('next');
    }
  } finally {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}

function startThread(task: Task) {
  const worker = new Worker(new URL('map-thread-worker.ts', import.meta.url), { workerData: task });
  return { worker, inbox: createInbox(worker) };
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
