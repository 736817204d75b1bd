import { workerData } from 'node:worker_threads';
import { STUCK_SECONDS, watchHeartbeat } from './heartbeat.ts';
import { readStackOfMainThread } from './stack.ts';
import { killProcess, type WatchdogTask } from './watchdog.ts';

/** The thread that watches the main thread. See `watchdog.ts`. */
const { heartbeat, stackMs }: WatchdogTask = workerData;
watchHeartbeat(heartbeat, async () => {
  const stack = await readStackOfMainThread(stackMs);
  killProcess({ stack }, `the main thread has not responded for ${STUCK_SECONDS} s: the process is killed`);
});
