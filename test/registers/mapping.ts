import { IN_RECORDS, type PartyModes } from '../../src/base/party-modes.ts';
import { createPrepareTools, type PrepareTools } from '../../src/import/mapping/prepare.ts';
import type { Register } from '../../src/registers/contract.ts';

/** Persons are left out. */
export const ORGANISATIONS: PartyModes = { all: 'organisations', exceptions: {} };

/** What preparing a record needs, with persons. */
export function prepareTools(register: Register, registers: readonly Register[] = [register]): PrepareTools {
  return createPrepareTools(register, registers, { [IN_RECORDS]: 'names' }, []);
}

/** The body with the one check digit that makes it a valid number, or null if no digit does: such numbers are not issued. */
export function addCheckDigit(check: (number: string) => boolean | null, body: string): string | null {
  for (let digit = 0; digit <= 9; digit++) if (check(`${body}${digit}`)) return `${body}${digit}`;
  return null;
}
