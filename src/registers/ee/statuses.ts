import type { EntityStatus } from '../contract.ts';

export const BY_CODE: ReadonlyMap<string, EntityStatus> = new Map([
  ['R', 'active'],
  ['L', 'in_liquidation'],
  ['N', 'insolvent'],
  ['K', 'dissolved'],
]);
/** For a code that is missing or new: `Hoiatuskandega` (with a warning entry) is known only by its text. */
export const BY_TEXT: ReadonlyMap<string, EntityStatus> = new Map([
  ['registrisse kantud', 'active'],
  ['hoiatuskandega', 'active'],
  ['likvideerimisel', 'in_liquidation'],
  ['pankrotis', 'insolvent'],
  ['kustutatud', 'dissolved'],
  ['registrist kustutatud', 'dissolved'],
]);
