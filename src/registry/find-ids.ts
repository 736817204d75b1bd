import type { Queries } from '../base/db/db.ts';
import { MAX_LOOKUP_SIZE } from '../base/db/lists.ts';
import { nameUuid } from '../base/ids.ts';
import { takeBreakIfDue } from '../base/system/event-loop.ts';
import type { Register } from '../registers/contract.ts';
import { findStates } from './records/store.ts';

/** A company by its id, or by its country and registration number. */
export type CompanyReference =
  | { readonly id: string }
  | { readonly countryCode: string; readonly registrationNumber: string };

/** The ids of these companies, in their order. Undefined for those that are not in the store. */
export async function findIds(
  db: Queries,
  registers: readonly Register[],
  references: readonly CompanyReference[],
): Promise<(string | undefined)[]> {
  const candidates: string[][] = [];
  for (const reference of references) {
    await takeBreakIfDue();
    candidates.push(listCandidates(reference, registers));
  }
  const known = await findKnown(db, [...new Set(candidates.flat())]);
  return candidates.map((ids) => ids.find((id) => known.has(id)));
}

/** The ids that a company can have: an id is derived from country, register and number. */
function listCandidates(reference: CompanyReference, registers: readonly Register[]): string[] {
  if ('id' in reference) return [reference.id.toLowerCase()];
  const country = reference.countryCode.toUpperCase();
  const number = reference.registrationNumber.trim();
  const bare = number.replace(/\s/g, '');
  return registers
    .filter((register) => register.country === null || register.country === country)
    .flatMap((register) => {
      const numbers = new Set([number, bare, bare.toUpperCase(), register.writeNumber?.(bare) ?? bare]);
      return [...numbers].map((each) => nameUuid(`${country}/${register.id}/${each}`));
    });
}

async function findKnown(db: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let from = 0; from < ids.length; from += MAX_LOOKUP_SIZE) {
    await takeBreakIfDue();
    for (const { id } of await findStates(db, ids.slice(from, from + MAX_LOOKUP_SIZE))) known.add(id);
  }
  return known;
}
