import { readFileSync } from 'node:fs';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`). Shifts the server's clock by the number of
 * milliseconds in a file. Replacing `Date.now` is enough: every thread reads the time through it (core/clock.ts), and
 * timers do not depend on it.
 */
const file = process.env.CLOCK_FILE;
if (file !== undefined) {
  const now = Date.now;
  let shift = 0;
  Date.now = () => now() + shift;
  setInterval(() => {
    shift = Number(readFileSync(file, 'utf8')) || 0;
  }, 20).unref();
}
