/** True in `npm run test:deep`. It runs the same tests as `npm test`, with more cases and longer load. */
export const isDeep = process.env.DEEP === '1';

/** The number of cases for a property or load test: `normal` in `npm test`, `deep` in `npm run test:deep`. */
export function runs(normal: number, deep: number): number {
  return isDeep ? deep : normal;
}
