/**
 * The CPU time of the longest turn of this thread's event loop while `work` runs, in milliseconds. Unlike a clock, it
 * does not count the time in which other processes have the CPU.
 */
export async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = readCpu();
  let isRunning = true;
  function tick(): void {
    const now = readCpu();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(tick);
  }
  setImmediate(tick);
  try {
    await work();
  } finally {
    isRunning = false;
  }
  tick();
  return longest;
}

function readCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
