/** True in `npm run test:deep`. It runs the same tests as `npm test`, with more cases and longer load. */
export const isDeep = process.env.DEEP === '1';

/** True in `npm run test:load`, which needs an idle machine. */
export const hasExactTimes = process.env.EXACT_TIMES === '1';

/**
 * An upper bound on time. Tests run on busy machines and allow at least a minute, so that they fail only if something hangs.
 * `npm run test:load`, which needs an idle machine, checks the bound itself.
 */
export function boundMs(ms: number): number {
  return hasExactTimes ? ms : Math.max(60_000, 10 * ms);
}

/** The number of cases for a property or load test: `normal` in `npm test`, `deep` in `npm run test:deep`. */
export function runs(normal: number, deep: number): number {
  return isDeep ? deep : normal;
}
