/**
 * Loaded into a server (`node --import`): writes the processor time of the longest turn of its event loop so far, in milliseconds, to
 * the file TURN_FILE. Unlike a clock, it does not count the time in which other processes have the processor. SIGUSR2 starts again.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TURN_FILE;
let longest = 0;
let last = readCpu();

function readCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A timer runs once per turn, so the time between two calls is that of the turn between them. */
function tick(): void {
  const turn = readCpu() - last;
  if (turn > longest && file !== undefined) {
    longest = turn;
    writeFileSync(file, String(longest));
  }
  setTimeout(tick, 1).unref();
  last = readCpu();
}

if (isMainThread && file !== undefined) {
  process.on('SIGUSR2', () => {
    longest = 0;
    writeFileSync(file, '0');
  });
  tick();
}
