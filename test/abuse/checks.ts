import type { Outcome } from './attack.ts';

/** Collects the results of many small checks into one outcome. */
export interface Checks {
  /** `what` is a sentence that is true if the check holds. */
  check(what: string, holds: boolean): void;
  /** The figures name the first checks that failed. */
  conclude(figures?: string): Outcome;
}

export function createChecks(): Checks {
  const failed: string[] = [];
  let count = 0;
  return {
    check(what, holds) {
      count++;
      if (!holds) failed.push(what);
    },
    conclude(figures) {
      const summary = [
        `${count} checks`,
        ...(figures === undefined ? [] : [figures]),
        ...failed.slice(0, 4).map((what) => `failed: ${what}`),
      ];
      return { held: count > 0 && failed.length === 0, figures: summary.join(', ') };
    },
  };
}
