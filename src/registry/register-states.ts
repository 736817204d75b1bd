import type { Queries } from '../base/db/db.ts';
import { type Freshness, judgeFreshness } from '../base/freshness.ts';
import type { Register } from '../registers/contract.ts';
import { readChecks } from './checks/store.ts';
import { readHoldings } from './records/imports/store.ts';

/** What the store holds of a register, and how current it is. */
export interface RegisterState {
  readonly register: Register;
  readonly entities: number;
  /** The day that the data of the latest import describes, `YYYY-MM-DD`; null if its files do not say. */
  readonly asOf: string | null;
  readonly importedAt: number | null;
  /** When the publisher was last asked for new files successfully; null if never. */
  readonly checkedAt: number | null;
  /** Null if there is no data, if the data is synthetic, or if the publisher has no known rhythm. */
  readonly freshness: Freshness | null;
  /** Failed attempts to update the register since `checkedAt`, and what the last one failed with. */
  readonly failures: number;
  readonly problem: string | null;
  /** Whether the latest full import, or one after it, was of invented companies. */
  readonly synthetic: boolean;
}

/** In the order of `registers`. `now` is the time that freshness is judged at. */
export async function readRegisterStates(
  db: Queries,
  registers: readonly Register[],
  now: number,
): Promise<RegisterState[]> {
  const holdings = new Map((await readHoldings(db)).map((holding) => [holding.register, holding]));
  const checks = new Map((await readChecks(db)).map((check) => [check.register, check]));
  return registers.map((register) => {
    const holding = holdings.get(register.id);
    const check = checks.get(register.id);
    const { entities = 0, asOf = null, importedAt = null } = holding ?? {};
    const synthetic = holding?.synthetic === 1;
    const isJudged = entities > 0 && !synthetic;
    return {
      register,
      entities,
      asOf,
      importedAt,
      checkedAt: check?.checkedAt ?? null,
      freshness: isJudged ? judgeFreshness(register.updates, { asOf, importedAt }, now) : null,
      failures: check?.failures ?? 0,
      problem: check?.problem ?? null,
      synthetic,
    };
  });
}
