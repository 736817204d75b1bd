import { workerData } from 'node:worker_threads';
import { type Heartbeat, killProcess, STUCK_SECONDS, watchHeartbeat } from './watchdog.ts';

/** The thread that watches the main thread. See `watchdog.ts`. */
watchHeartbeat(workerData as Heartbeat, () => {
  killProcess({}, `the main thread has not responded for ${STUCK_SECONDS} s: the process is killed`);
});
