import { IN_RECORDS, type PartyModes } from '../../src/base/party-modes.ts';
import { createPrepareTools, type PrepareTools } from '../../src/import/mapping/prepare.ts';
import type { Register } from '../../src/registers/contract.ts';

/** Persons are left out. */
export const ORGANISATIONS: PartyModes = { all: 'organisations', exceptions: {} };

/** What preparing a record needs, with persons. */
export function prepareTools(register: Register, registers: readonly Register[] = [register]): PrepareTools {
  return createPrepareTools(register, registers, { [IN_RECORDS]: 'names' }, []);
}
