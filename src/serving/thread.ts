import { openThread, type Thread as SystemThread } from '../system/thread.ts';
import { createHeartbeat, STUCK_SECONDS, watchHeartbeat } from './heartbeat.ts';
import type { ServingEvents, ServingThread, ThreadTask } from './messages.ts';
import { killProcess } from './watchdog.ts';

/** The supervisor's handle of a serving thread. */
export interface Thread {
  readonly number: number;
  readonly startedAt: number;
  readonly call: SystemThread<ServingThread>['call'];
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
    const timer = setTimeout(() => {
      killProcess({ worker: task.number }, `${message} and cannot be terminated: the process is killed`);
    }, TERMINATE_MS);
    await worker.close(new Error(message));
    clearTimeout(timer);
  });

  const thread: Thread = {
    number: task.number,
    startedAt: worker.startedAt,
    call: worker.call,
    async end() {
      stopWatching();
      await worker.close();
    },
  };
  return thread;
}
