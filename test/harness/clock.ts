import type { Clock } from '../../src/base/clock.ts';

/** A clock that only moves when the test moves it. */
export interface TestClock extends Clock {
  set(time: string): void;
  advance(milliseconds: number): void;
}

export function testClock(start = '2026-03-15T12:00:00.000Z'): TestClock {
  let time = Date.parse(start);
  return {
    now: () => time,
    set(text) {
      time = Date.parse(text);
    },
    advance(milliseconds) {
      time += milliseconds;
    },
  };
}
