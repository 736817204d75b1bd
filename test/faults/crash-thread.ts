import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadName } from 'node:worker_threads';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`). When a file `<how>-<number>` appears in
 * CRASH_DIR, the serving thread with that number crashes in that way; the main thread has the number 0. The program itself needs
 * no test hook.
 */
const crashes = {
  exception() {
    throw new Error('crashed on purpose');
  },
  /** In many turns of the event loop: a thread that is blocked for long is replaced because it is stuck. */
  memory() {
    const held: unknown[] = [];
    const grow = () => {
      // The collector does not look into arrays of fractions.
      held.push(new Array(2_000_000).fill(0.5));
      setImmediate(grow);
    };
    grow();
  },
  /** Blocks the thread forever. It mostly sleeps, so that the test costs little processor time. */
  loop: function loopForever() {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (;;) Atomics.wait(cell, 0, 0, 20);
  },
};

export type Crash = keyof typeof crashes;

const folder = process.env.CRASH_DIR;
const number = isMainThread ? '0' : /^serving (\d+)$/.exec(threadName ?? '')?.[1];
if (folder !== undefined && number !== undefined) {
  setInterval(() => {
    for (const [how, crash] of Object.entries(crashes)) {
      const file = join(folder, `${how}-${number}`);
      if (!existsSync(file)) continue;
      unlinkSync(file);
      crash();
    }
  }, 10).unref();
}
