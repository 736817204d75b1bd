import { Worker } from 'node:worker_threads';
import type { Location } from '../db/open.ts';
import type { Moment } from '../records/bulk/bulk.ts';

/** A thread of an export. It reads a snapshot of its own (`thread-view.ts`) and does one task at a time. */
export interface Thread<Task, Result> {
  /** What its snapshot shows. */
  readonly moment: Promise<Moment>;
  /** Resolves with the result. Stays pending if the thread fails, which `onFailure` reports. */
  run(task: Task): Promise<Result>;
  /** Lets the current task finish, then ends the thread. */
  end(): Promise<void>;
  /** Ends the thread immediately, even during a task. */
  terminate(): Promise<unknown>;
}

export interface ThreadData {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
}

export type ThreadMessage =
  | { readonly type: 'ready'; readonly moment: Moment }
  | { readonly type: 'rows'; readonly rows: number }
  | { readonly type: 'done'; readonly result: unknown };

export interface ThreadEvents {
  /** Progress of a task. */
  onRows?(rows: number): void;
  /** Also called when the thread ends; what comes after the first call means nothing. */
  onFailure(error: unknown): void;
}

/** Starts a thread that runs the file, which is beside this one. */
export function startThread<Task, Result>(
  file: string,
  data: ThreadData,
  { onRows, onFailure }: ThreadEvents,
): Thread<Task, Result> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData: data });
  const { promise: moment, resolve: isReady } = Promise.withResolvers<Moment>();
  const { promise: ended, resolve: hasEnded } = Promise.withResolvers<void>();
  let isDone: ((result: Result) => void) | undefined;
  worker.on('message', (message: ThreadMessage) => {
    if (message.type === 'ready') isReady(message.moment);
    else if (message.type === 'rows') onRows?.(message.rows);
    else isDone?.(message.result as Result);
  });
  worker.on('error', onFailure);
  worker.on('exit', () => {
    onFailure(new Error('a thread of the export ended early'));
    hasEnded();
  });
  return {
    moment,
    run(task) {
      const { promise, resolve } = Promise.withResolvers<Result>();
      isDone = resolve;
      worker.postMessage({ task });
      return promise;
    },
    end() {
      worker.postMessage(undefined);
      return ended;
    },
    terminate: () => worker.terminate(),
  };
}
