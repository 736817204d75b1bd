import type { Socket } from 'node:net';
import { type Transferable, Worker } from 'node:worker_threads';
import { createHeartbeat, STUCK_SECONDS, watchHeartbeat } from './heartbeat.ts';
import type { Arguments, CallMessage, CallName, FromThread, Result, SocketMessage, ThreadTask } from './messages.ts';
import { readStackOfThread } from './stack.ts';
import { killProcess } from './watchdog.ts';

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
  readonly onLog: (lines: Uint8Array) => void;
  /** Called once, with the error that ended the thread. */
  readonly onEnd: (thread: Thread, error: Error) => void;
}

/**
 * Node ends a thread that exceeds this, before it starves the others. The index and cached results are outside the heap
 * and do not count.
 */
const MAX_HEAP_MEGABYTES = 1_024;
/** How long terminating a stuck thread may take. A thread in a loop ends within milliseconds. */
const TERMINATE_MS = 10_000;

export function startThread(given: Omit<ThreadTask, 'heartbeat'>, { onLog, onEnd }: ThreadEvents): Thread {
  const task: ThreadTask = { ...given, heartbeat: createHeartbeat() };
  const name = `serving ${task.number}`;
  const worker = new Worker(new URL('serving-worker.ts', import.meta.url), {
    workerData: task,
    name,
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
    stopWatching();
    ended = error ?? new Error(`the thread exited with code ${code}`);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    onEnd(thread, ended);
  });

  /** A thread in native code cannot be terminated. It would keep its share of the port, so the process has to end. */
  const stopWatching = watchHeartbeat(task.heartbeat, async () => {
    const message = `the thread has not responded for ${STUCK_SECONDS} s`;
    const stack = await readStackOfThread(name);
    error = new Error(message);
    error.stack = `Error: ${message}\n${stack ?? '    at an unknown place'}`;
    const timer = setTimeout(() => {
      killProcess({ worker: task.number, stack }, `${message} and cannot be terminated: the process is killed`);
    }, TERMINATE_MS);
    await worker.terminate();
    clearTimeout(timer);
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
      stopWatching();
      await worker.terminate();
    },
  };
  return thread;
}
