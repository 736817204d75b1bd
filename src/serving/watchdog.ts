import { write } from 'node:fs';
import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../core/clock.ts';
import { createHeartbeat, type Heartbeat, startHeartbeat } from './heartbeat.ts';

/**
 * Watches the main thread from a small thread. If the main thread is stuck, no code in it can recover, so the process is killed
 * and the service manager starts it again. With `WORKERS=1` the main thread serves requests; otherwise it supervises.
 */
export interface Watchdog {
  stop(): Promise<void>;
}

export function watchMainThread(): Watchdog {
  // A main thread that is paused in a debugger is not stuck.
  if (inspector.url() !== undefined) return { stop: async () => undefined };
  const heartbeat: Heartbeat = createHeartbeat();
  startHeartbeat(heartbeat);
  const worker = new Worker(new URL('watchdog-worker.ts', import.meta.url), {
    workerData: heartbeat,
    name: 'watchdog',
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  return {
    async stop() {
      await worker.terminate();
    },
  };
}

/**
 * Ends the process although one of its threads does not respond: `process.exit` would wait for that thread. The log may depend
 * on the stuck thread, so the line is written directly. If the output is not read, the process ends without that line.
 */
export function killProcess(fields: Readonly<Record<string, unknown>>, message: string): void {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  const line = { level: FATAL, time: systemClock.now(), ...fields, msg: message };
  setTimeout(kill, WRITE_MS);
  write(STANDARD_OUTPUT, `${JSON.stringify(line)}\n`, kill);
}

const FATAL = 60;
const STANDARD_OUTPUT = 1;
const WRITE_MS = 1_000;
