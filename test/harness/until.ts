import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, which may take long on a busy machine, and says which one did not come true. */
export async function until(what: string, condition: () => unknown, ms = 30_000): Promise<void> {
  for (const deadline = performance.now() + ms; !(await condition()); await sleep(20)) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
  }
}
