import type { EntityStatus } from '../contract.ts';

interface Status {
  readonly status: EntityStatus;
  /** The text of the register, for a row that has only the code. */
  readonly label: string;
}

export const BY_CODE: ReadonlyMap<string, Status> = new Map([
  ['R', { status: 'active', label: 'Registrisse kantud' }],
  ['L', { status: 'in_liquidation', label: 'Likvideerimisel' }],
  ['N', { status: 'insolvent', label: 'Pankrotis' }],
  ['K', { status: 'dissolved', label: 'Kustutatud' }],
]);
/** In lower case, for missing or unknown codes: that of `Hoiatuskandega` (warning entry) is not documented. */
export const BY_TEXT: ReadonlyMap<string, EntityStatus> = new Map([
  ['registrisse kantud', 'active'],
  ['hoiatuskandega', 'active'],
  ['likvideerimisel', 'in_liquidation'],
  ['pankrotis', 'insolvent'],
  ['kustutatud', 'dissolved'],
  ['registrist kustutatud', 'dissolved'],
]);
