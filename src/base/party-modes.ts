/**
 * Which parties of companies are stored and shown: none, organisations, or all that the register published. Each mode includes the modes before it.
 */
export const partyModes = ['off', 'organisations', 'names'] as const;
export type PartyMode = (typeof partyModes)[number];

/** The mode of all registers, and exceptions for a register (`lv`) or one of its sets (`lv/beneficial_owners`). */
export interface PartyModes {
  readonly all: PartyMode;
  readonly exceptions: Readonly<Record<string, PartyMode>>;
}

export const DEFAULT_PARTY_MODES: PartyModes = { all: 'names', exceptions: {} };

/** The set of beneficial owners, which includes those inside records of companies. */
export const BENEFICIAL_OWNERS = 'beneficial_owners';

/** The key for parties inside records of companies, in the modes of a register's sets. */
export const IN_RECORDS = '';

/** The modes of one register, by set. The key `IN_RECORDS` is always present. */
export type SetModes = Readonly<Record<string, PartyMode>>;

export interface SwitchedRegister {
  readonly id: string;
  readonly sources: readonly { readonly parties?: { readonly set: string; readonly onlyPersons?: true } }[];
  readonly ownersApart?: true;
}

/** Decides, for the whole program, which parties are stored and shown. A set of only persons is off where persons are left out. */
export function listSetModes({ all, exceptions }: PartyModes, register: SwitchedRegister): SetModes {
  const { id, sources, ownersApart } = register;
  const general = exceptions[id] ?? all;
  const modes: Record<string, PartyMode> = { [IN_RECORDS]: general };
  const add = (set: string, onlyPersons: boolean) => {
    modes[set] = exceptions[`${id}/${set}`] ?? (onlyPersons && general !== 'names' ? 'off' : general);
  };
  if (ownersApart) add(BENEFICIAL_OWNERS, true);
  for (const { parties } of sources) {
    if (parties !== undefined) add(parties.set, parties.onlyPersons === true);
  }
  return modes;
}

/** The modes in which a file was imported (`files.modes`). For a file that the store does not know, everything may be stored. */
export function parseSetModes(text: string | undefined): SetModes {
  return text === undefined ? { [IN_RECORDS]: 'names' } : JSON.parse(text);
}

/** Whether data that was stored in the modes `held` must not be shown in the modes `allowed`. */
export function exceeds(held: SetModes, allowed: SetModes): boolean {
  return Object.keys(held).some((set) => rank(held[set]) > rank(allowed[set] ?? allowed[IN_RECORDS]));
}

/** The modes of data stored in the modes `held`, after everything that `allowed` leaves out was removed. */
export function lowerModes(held: SetModes, allowed: SetModes): SetModes {
  const lower = (set: string, mode: PartyMode): PartyMode => {
    const most = allowed[set] ?? allowed[IN_RECORDS] ?? 'off';
    return rank(mode) > rank(most) ? most : mode;
  };
  return Object.fromEntries(Object.entries(held).map(([set, mode]) => [set, lower(set, mode)]));
}

function rank(mode: PartyMode | undefined): number {
  return mode === undefined ? 0 : partyModes.indexOf(mode);
}
