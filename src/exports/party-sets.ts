import { findPartyMode, type PartyModes } from '../core/party-modes.ts';
import type { SelectedSet } from '../parties/bulk/bulk.ts';

/** Those of the stored sets that `PARTIES` allows to export. */
export function listAllowedSets(
  stored: readonly Pick<SelectedSet, 'register' | 'set'>[],
  modes: PartyModes,
): SelectedSet[] {
  return stored.flatMap(({ register, set }) => {
    const mode = findPartyMode(modes, register);
    return mode === 'off' ? [] : { register, set, withPersons: mode === 'names' };
  });
}
