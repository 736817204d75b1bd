import { IN_RECORDS, listSetModes, type PartyModes } from '../core/party-modes.ts';
import type { SelectedSet } from '../parties/bulk/bulk.ts';
import type { Register } from '../registers/contract.ts';

/** Those of the stored sets that `PARTIES` allows to export. */
export function listAllowedSets(
  stored: readonly Pick<SelectedSet, 'register' | 'set'>[],
  registers: readonly Register[],
  modes: PartyModes,
): SelectedSet[] {
  const allowed = new Map(registers.map((register) => [register.id, listSetModes(modes, register)]));
  return stored.flatMap(({ register, set }) => {
    const { [IN_RECORDS]: general = 'off', [set]: mode = general } = allowed.get(register) ?? {};
    return mode === 'off' ? [] : { register, set, withPersons: mode === 'names' };
  });
}
