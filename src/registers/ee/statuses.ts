import { fold } from '../../core/fold.ts';
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
/** For missing or unknown codes: that of `Hoiatuskandega` (warning entry) is not documented. Folded. */
export const BY_TEXT: ReadonlyMap<string, EntityStatus> = new Map<string, EntityStatus>([
  ...Array.from(BY_CODE.values(), ({ status, label }) => [fold(label), status] as const),
  ['registrist kustutatud', 'dissolved'],
  ['hoiatuskandega', 'active'],
]);
