import { write } from 'node:fs';
import inspector from 'node:inspector';
import { threadName, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';

/**
 * Watches the main thread from a small thread. If the main thread is stuck, no code in it can recover, so the process is killed
 * and the service manager starts it again. With `WORKERS=1` the main thread serves requests; otherwise it supervises.
 */
export function watchMainThread(): { stop(): Promise<unknown> } {
  // A main thread that is paused in a debugger is not stuck.
  if (inspector.url() !== undefined) return { stop: async () => undefined };
  const heartbeat = createHeartbeat();
  startHeartbeat(heartbeat);
  const worker = new Worker(new URL(import.meta.url), {
    workerData: heartbeat,
    name: WATCHDOG,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  return { stop: () => worker.terminate() };
}

const WATCHDOG = 'watchdog';

/**
 * Kills the process when one of its threads does not respond: `process.exit` would wait for that thread. The log may depend on the stuck thread, so
 * the line is written directly. If the output is not read, the process ends without that line.
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

/** A thread increments its counter in shared memory from a timer. When the event loop is stuck, the counter stops, which another thread notices. */
export type Heartbeat = Int32Array<SharedArrayBuffer>;

/**
 * How long a thread may be silent. No legitimate task comes close: the largest response takes well below a second, and a
 * collection of the whole heap about two. Builds of the search index and imports have their own threads, which are not watched.
 */
export const STUCK_SECONDS = 10;
const BEAT_MS = 500;
const CHECK_MS = 1_000;

export function createHeartbeat(): Heartbeat {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Starts to increment the counter, from a timer of the calling thread. */
export function startHeartbeat(heartbeat: Heartbeat): void {
  const beat = () => void Atomics.add(heartbeat, 0, 1);
  beat();
  setInterval(beat, BEAT_MS).unref();
}

/** Calls `onStuck` once if the counter stops for `STUCK_SECONDS` after its first beat. Returns a function that stops watching. */
export function watchHeartbeat(heartbeat: Heartbeat, onStuck: () => void): () => void {
  const isStuck = createStuckCheck(heartbeat);
  const timer = setInterval(() => {
    if (!isStuck()) return;
    clearInterval(timer);
    onStuck();
  }, CHECK_MS);
  return () => clearInterval(timer);
}

/** Returns a check to call once per second. It counts calls without a beat, not time: a paused process pauses the checks, too. */
export function createStuckCheck(heartbeat: Heartbeat): () => boolean {
  let last = 0;
  let missed = 0;
  return () => {
    const beats = Atomics.load(heartbeat, 0);
    missed = beats === last && beats !== 0 ? missed + 1 : 0;
    last = beats;
    return missed >= STUCK_SECONDS;
  };
}

// The thread that watches the main thread runs this file.
if (threadName === WATCHDOG) {
  watchHeartbeat(workerData, () => {
    killProcess({}, `the main thread has not responded for ${STUCK_SECONDS} s: the process is killed`);
  });
}
