import { readFileSync } from 'node:fs';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`): its clock goes wrong by as many milliseconds as the
 * file says. The service reads the time by `Date.now` alone (core/clock.ts), in every thread; timers do not depend on it.
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
