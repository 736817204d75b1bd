import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition. The time-out is generous because the machine may be busy; its error names the condition. */
export async function until(what: string, condition: () => unknown, ms = 200_000): Promise<void> {
  // Not `performance.now`, which some tests replace.
  const now = () => Number(process.hrtime.bigint() / 1_000_000n);
  for (const deadline = now() + ms; !(await condition()); await sleep(20)) {
    if (now() > deadline) throw new Error(`timed out after ${ms} ms, waiting until ${what}`);
  }
}
