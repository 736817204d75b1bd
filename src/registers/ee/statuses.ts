import type { EntityStatus } from '../contract.ts';

export const BY_CODE: ReadonlyMap<string, EntityStatus> = new Map([
  ['R', 'active'],
  ['L', 'in_liquidation'],
  ['N', 'insolvent'],
  ['K', 'dissolved'],
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
