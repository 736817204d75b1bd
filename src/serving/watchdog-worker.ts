import { workerData } from 'node:worker_threads';
import { type Heartbeat, STUCK_SECONDS, watchHeartbeat } from './heartbeat.ts';
import { readStackOfMainThread } from './stack.ts';
import { killProcess } from './watchdog.ts';

/** The thread that watches the main thread. See `watchdog.ts`. */
watchHeartbeat(workerData as Heartbeat, async () => {
  const stack = await readStackOfMainThread();
  killProcess({ stack }, `the main thread has not responded for ${STUCK_SECONDS} s: the process is killed`);
});
