import { IN_RECORDS, listSetModes, type PartyModes } from '../base/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import type { SelectedSet } from '../registry/parties/bulk/bulk.ts';
import type { Contents } from '../registry/records/bulk/bulk.ts';

/** The requested countries and registers. A missing list selects all. */
export interface Wanted {
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly string[] | undefined;
  readonly includeUnknownLicences: boolean;
}

export interface Selected {
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly Register[];
  /** Registers with data of a publisher whose licence is unknown. */
  readonly leftOut: readonly string[];
  readonly rows: number;
}

/** Selects the registers that have entities of the requested countries. No publisher's licence applies to invented companies. */
export function selectRegisters(
  { holdings, synthetic }: Contents,
  registers: readonly Register[],
  wanted: Wanted,
): Selected {
  const countries = wanted.countries && [...new Set(wanted.countries)].sort();
  const held = holdings.filter(
    ({ country, register }) => (countries?.includes(country) ?? true) && (wanted.registers?.includes(register) ?? true),
  );
  const ids = new Set(held.map(({ register }) => register));
  const found = registers.filter(({ id }) => ids.has(id));
  const selected = found.filter(({ id, licenceUnknown }) => {
    return wanted.includeUnknownLicences || !licenceUnknown || synthetic.has(id);
  });
  const leftOut = found.filter((register) => !selected.includes(register)).map(({ id }) => id);
  const rows = held.filter(({ register }) => !leftOut.includes(register)).reduce((sum, one) => sum + one.entities, 0);
  return { countries, registers: selected, leftOut, rows };
}

/** The stored sets that `PARTIES` allows to export. */
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
