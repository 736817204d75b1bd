/** Which parties of companies are stored and shown: none, organisations, or persons by name as well. */
export const partyModes = ['off', 'organisations', 'names'] as const;
export type PartyMode = (typeof partyModes)[number];

/** The mode of all registers, and of those that are exceptions. */
export interface PartyModes {
  readonly all: PartyMode;
  readonly exceptions: Readonly<Record<string, PartyMode>>;
}

export const DEFAULT_PARTY_MODES: PartyModes = { all: 'organisations', exceptions: {} };

export function findPartyMode({ all, exceptions }: PartyModes, register: string): PartyMode {
  return exceptions[register] ?? all;
}
