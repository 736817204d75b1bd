import type { Socket } from 'node:net';
import type { Transferable } from 'node:worker_threads';
import { openThread, type Thread as SystemThread } from '../system/thread.ts';
import { createHeartbeat, STUCK_SECONDS, watchHeartbeat } from './heartbeat.ts';
import type { ServingEvents, ServingThread, ThreadTask } from './messages.ts';
import { readStackOfThread } from './stack.ts';
import { killProcess } from './watchdog.ts';

/** The supervisor's handle of a serving thread. */
export interface Thread {
  readonly number: number;
  readonly startedAt: number;
  readonly call: SystemThread<ServingThread>['call'];
  /** Gives the connection to this thread. The caller's handle becomes unusable. */
  transfer(socket: Socket): void;
  end(): Promise<void>;
}

interface ThreadEvents {
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
  const worker = openThread<ServingThread, ServingEvents>(new URL('serving-worker.ts', import.meta.url), {
    name,
    data: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
    on: { log: onLog },
    onEnd(error) {
      stopWatching();
      onEnd(thread, error);
    },
  });

  /** A thread in native code cannot be terminated. It would keep its share of the port, so the process has to end. */
  const stopWatching = watchHeartbeat(task.heartbeat, async () => {
    const message = `the thread has not responded for ${STUCK_SECONDS} s`;
    const stack = await readStackOfThread(name, task.config.timeLimits.stackMs);
    const error = new Error(message);
    error.stack = `Error: ${message}\n${stack ?? '    at an unknown place'}`;
    const timer = setTimeout(() => {
      killProcess({ worker: task.number, stack }, `${message} and cannot be terminated: the process is killed`);
    }, TERMINATE_MS);
    await worker.close(error);
    clearTimeout(timer);
  });

  const thread: Thread = {
    number: task.number,
    startedAt: worker.startedAt,
    call: worker.call,
    transfer: (socket) => worker.post('take', [socket], [socket as unknown as Transferable]),
    async end() {
      stopWatching();
      await worker.close();
    },
  };
  return thread;
}
