import { listSetModes, type PartyModes } from '../core/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import type { FetchPlan } from '../registers/fetch-plan.ts';

/** The register without the files of parties that are switched off. */
export interface Reduced {
  readonly register: Register;
  /** The sets that are left out. */
  readonly leftOut: readonly string[];
}

export function leaveOutParties(register: Register, parties: PartyModes): Reduced {
  const modes = listSetModes(parties, register);
  const leftOut = new Set<string>();
  const keepOn = <T extends { readonly parties?: string }>(files: readonly T[]) =>
    files.filter(({ parties: set }) => {
      if (set === undefined || modes[set] !== 'off') return true;
      leftOut.add(set);
      return false;
    });
  const plan = reducePlan(register.fetch, keepOn);
  if (leftOut.size === 0 || plan.kind === 'manual') return { register: { ...register, fetch: plan }, leftOut: [] };
  const size = { ...plan.size, min: plan.size.minWithoutParties ?? plan.size.min };
  return { register: { ...register, fetch: { ...plan, size } }, leftOut: [...leftOut] };
}

function reducePlan(
  plan: FetchPlan,
  keepOn: <T extends { readonly parties?: string }>(files: readonly T[]) => T[],
): FetchPlan {
  if (plan.kind === 'fixed') return { ...plan, files: keepOn(plan.files) };
  if (plan.kind === 'page') return { ...plan, pages: keepOn(plan.pages) };
  return plan.kind === 'api' ? { ...plan, paths: keepOn(plan.paths) } : plan;
}

/** What the operator reads about them. Null if all files are fetched. */
export function describeLeftOut(leftOut: readonly string[]): string | null {
  if (leftOut.length === 0) return null;
  return `Files of parties are left out, because PARTIES is off for them: ${leftOut.join(', ')}.`;
}
