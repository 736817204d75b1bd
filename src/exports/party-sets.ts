import { findPartyMode, type PartyModes } from '../core/party-modes.ts';
import type { SelectedSet } from '../parties/bulk/bulk.ts';
import type { Register } from '../registers/contract.ts';

/** The sets of parties that `PARTIES` allows to export. */
export function listAllowedSets(registers: readonly Register[], modes: PartyModes): SelectedSet[] {
  return registers.flatMap((register) => {
    const sets = new Set(register.sources.flatMap(({ parties }) => parties?.set ?? []));
    return [...sets].flatMap((set) => {
      const mode = findPartyMode(modes, register.id);
      return mode === 'off' ? [] : { register: register.id, set, withPersons: mode === 'names' };
    });
  });
}
