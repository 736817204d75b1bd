import type { Socket } from 'node:net';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Arguments, CallMessage, CallName, FromThread, Result, SocketMessage, ThreadTask } from './messages.ts';

/** The supervisor's handle of a serving thread. */
export interface Thread {
  readonly number: number;
  readonly startedAt: number;
  /** Rejects if the thread ends before it has returned a result. */
  call<N extends CallName>(name: N, ...args: Arguments<N>): Promise<Result<N>>;
  /** Gives the connection to this thread. The caller's handle becomes unusable. */
  transfer(socket: Socket): void;
  end(): Promise<void>;
}

export interface ThreadEvents {
  readonly onLog: (lines: string) => void;
  /** Called once, with the error that ended the thread. */
  readonly onEnd: (thread: Thread, error: Error) => void;
}

/**
 * Node ends a thread that exceeds this, before it starves the others. The index and cached results are outside the heap
 * and do not count.
 */
const MAX_HEAP_MEGABYTES = 1_024;

export function startThread(task: ThreadTask, { onLog, onEnd }: ThreadEvents): Thread {
  const worker = new Worker(new URL('serving-worker.ts', import.meta.url), {
    workerData: task,
    name: `serving ${task.number}`,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let error: Error | undefined;
  let ended: Error | undefined;

  worker.on('message', (message: FromThread) => {
    if (message.type === 'log') return onLog(message.lines);
    pending.get(message.id)?.resolve(message.result);
    pending.delete(message.id);
  });
  worker.on('error', (cause) => {
    error = cause instanceof Error ? cause : new Error(String(cause));
  });
  worker.on('exit', (code) => {
    ended = error ?? new Error(`the thread exited with code ${code}`);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    onEnd(thread, ended);
  });

  const thread: Thread = {
    number: task.number,
    startedAt: performance.now(),
    async call<N extends CallName>(name: N, ...args: Arguments<N>) {
      if (ended !== undefined) throw ended;
      const id = ++lastId;
      const result = Promise.withResolvers<unknown>();
      pending.set(id, result);
      worker.postMessage({ id, name, args } satisfies CallMessage);
      return result.promise as Promise<Result<N>>;
    },
    transfer: (socket) => worker.postMessage({ socket } satisfies SocketMessage, [socket as unknown as Transferable]),
    async end() {
      await worker.terminate();
    },
  };
  return thread;
}
