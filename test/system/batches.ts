import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits until a finished run has resolved its calls and the next one has started. */
export async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
