import type { Engine } from '../harness/databases.ts';

/**
 * One attack on a running service. To add one, write `test/abuse/attacks/<topic>.ts` and export its attacks:
 *
 *     export const attacks: readonly Attack[] = [
 *       {
 *         name: 'two thousand pipelined requests',
 *         async run(engine) {
 *           await using target = await startTarget(engine);
 *           await using witness = await startWitness(target);
 *           …
 *           const waits = await witness.stop();
 *           return { held: waits.failed === 0 && waits.max < 1_000, figures: formatWaits(waits) };
 *         },
 *       },
 *     ];
 *
 * `abuse.test.ts` finds the file by its folder and runs each attack alone, so that its figures are its own.
 * `npm run test:abuse -- --name pipelined` runs only the attacks whose names match.
 */
export interface Attack {
  readonly name: string;
  /** Default: both databases. */
  readonly engines?: readonly Engine[];
  /** Default: ten minutes. */
  readonly timeoutMs?: number;
  /** An attack fails if it returns `held: false` or throws. */
  run(engine: Engine): Promise<Outcome>;
}

export interface Outcome {
  readonly held: boolean;
  /** What was measured, in a few words. It appears in the table, whether the attack held or not. */
  readonly figures: string;
}
