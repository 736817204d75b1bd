import { mock } from 'node:test';

/** Follows the timers with this delay, which no other code may use. */
export function trackTimers(delayMs: number) {
  let started = 0;
  const running = new Set<NodeJS.Timeout | undefined>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const setting = mock.method(globalThis, 'setTimeout', ((run: () => void, ms?: number, ...rest: []) => {
    if (ms !== delayMs) return set(run, ms, ...rest);
    started++;
    const timer = set(() => {
      running.delete(timer);
      run();
    }, ms);
    running.add(timer);
    return timer;
  }) as typeof setTimeout);
  const clearing = mock.method(globalThis, 'clearTimeout', ((timer: NodeJS.Timeout | undefined) => {
    running.delete(timer);
    clear(timer);
  }) as typeof clearTimeout);
  return {
    count: () => ({ started, running: running.size }),
    [Symbol.dispose]() {
      for (const timer of running) clear(timer);
      setting.mock.restore();
      clearing.mock.restore();
    },
  };
}
