import { Worker } from 'node:worker_threads';
import type { WrittenPart } from './part-file.ts';
import type { PartMessage, PartTask, PartWork } from './part-worker.ts';

/** The threads that write files. All read the same version of the data. */
export interface PartThreads {
  /** Waits until a thread is free and starts the task on it. The result is of the task, not of the wait. */
  start(task: PartTask, onWritten: (part: WrittenPart) => void): Promise<void>;
  /** Waits until all tasks are done, and ends the threads. */
  finish(): Promise<void>;
  /** Ends the threads at once. */
  close(): Promise<void>;
}

interface PartThread {
  readonly worker: Worker;
  readonly version: Promise<string>;
  readonly ended: Promise<void>;
  /** Until its task is done. */
  busy: Promise<void>;
  onWritten: (part: WrittenPart) => void;
}

export interface ThreadOptions extends PartWork {
  readonly count: number;
  readonly signal?: AbortSignal;
  onRows(rows: number): void;
}

/** Returns undefined if an import was published between the snapshots of the threads and `version`. */
export async function openThreads(version: string, options: ThreadOptions): Promise<PartThreads | undefined> {
  let failed: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  failure.catch(() => {});
  options.signal?.addEventListener('abort', () => failed(options.signal?.reason), { once: true });
  const threads = Array.from({ length: options.count }, () => startThread(options, failed));
  const close = async () => {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  };
  try {
    const versions = await Promise.race([failure, Promise.all(threads.map((thread) => thread.version))]);
    if (versions.some((other) => other !== version)) {
      await close();
      return undefined;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async start(task, onWritten) {
      const free = Promise.race(threads.map((thread) => thread.busy.then(() => thread)));
      const thread = await Promise.race([failure, free]);
      const { promise, resolve } = Promise.withResolvers<void>();
      thread.busy = promise;
      thread.onWritten = (part) => {
        onWritten(part);
        resolve();
      };
      thread.worker.postMessage(task);
    },
    async finish() {
      await Promise.race([failure, Promise.all(threads.map(({ busy }) => busy))]);
      for (const { worker } of threads) worker.postMessage(undefined);
      await Promise.all(threads.map(({ ended }) => ended));
    },
    close,
  };
}

function startThread({ location, format, onRows }: ThreadOptions, onFailure: (error: unknown) => void): PartThread {
  const work: PartWork = { location, format };
  const worker = new Worker(new URL('part-worker.ts', import.meta.url), { workerData: work });
  const { promise: version, resolve } = Promise.withResolvers<string>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const thread: PartThread = { worker, version, ended, busy: Promise.resolve(), onWritten: () => {} };
  worker.on('message', (message: PartMessage) => {
    if (message.type === 'ready') resolve(message.version);
    else if (message.type === 'rows') onRows(message.rows);
    else {
      try {
        thread.onWritten(message.part);
      } catch (error) {
        onFailure(error);
      }
    }
  });
  worker.on('error', onFailure);
  worker.on('exit', () => {
    onFailure(new Error('a thread of the export ended early'));
    end();
  });
  return thread;
}
