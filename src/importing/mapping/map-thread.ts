import { Worker } from 'node:worker_threads';
import { FormatError } from '../../formats/rows.ts';
import type { Message, Task } from './map-messages.ts';
import type { MappedBatch } from './map-part.ts';
import { unpackRecords } from './packed-records.ts';
import type { OnBytes } from '../reading/part.ts';
import type { ProblemSink } from './problems.ts';

/**
 * Yields the same batches in the same order as `mapJob`, mapped by threads while this one writes. Each thread reads the
 * complete file, which is cheap, and maps its share of the rows, which is not. Batches are taken from the threads in
 * turn.
 */
export async function* mapJobInThreads(
  task: Omit<Task, 'share'>,
  count: number,
  problems: ProblemSink,
  onBytes: OnBytes,
): AsyncGenerator<MappedBatch> {
  const threads = Array.from({ length: count }, (_, index) => startThread({ ...task, share: { index, of: count } }));
  try {
    for (let turn = 0; ; turn++) {
      const { worker, inbox } = threads[turn % count] as (typeof threads)[0];
      const message = await inbox.next();
      if (message.type === 'failed') throw restoreError(message);
      for (const [method, ...values] of message.notes) Reflect.apply(problems[method], problems, values);
      // Shares are dealt in turn, so when the thread whose turn it is has no batch left, no thread has.
      if (message.type === 'end') return;
      onBytes(message.bytes);
      yield { ...message.batch, prepared: unpackRecords(message.packed) };
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

/** An error is sent as name and message; its class is restored here. */
function restoreError({ name, message }: Extract<Message, { type: 'failed' }>): Error {
  return name === 'FormatError' ? new FormatError(message) : new Error(message);
}
