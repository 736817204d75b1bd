import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { threadName } from 'node:worker_threads';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`). When a file `<how>-<number>` appears in
 * CRASH_DIR, the serving thread with that number crashes in that way. The program itself needs no test hook.
 */
const crashes = {
  exception() {
    throw new Error('crashed on purpose');
  },
  memory() {
    const held: unknown[] = [];
    for (;;) held.push(new Array(1_000_000).fill(held.length));
  },
};

export type Crash = keyof typeof crashes;

const folder = process.env.CRASH_DIR;
const number = /^serving (\d+)$/.exec(threadName ?? '')?.[1];
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
