import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { threadName } from 'node:worker_threads';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`): when a file `<how>-<number>` appears in its folder, the
 * serving thread of that number crashes in that way. So a crash needs no way in that the program itself would have to offer.
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
