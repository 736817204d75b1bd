/** The status of an entity. The register has flags and dates instead. */
import type { Cell } from '../contract.ts';
import type { Common, State } from '../fields.ts';
import { readDate } from '../parsing.ts';
import type { Unit } from './unit.ts';

/** The most serious flag that is set decides. */
export function decideStatus({ cell }: Unit, _context: unknown, { endedAt }: Common): State {
  if (endedAt) return { status: 'dissolved', code: 'slettet', label: 'Slettet', since: endedAt };
  if (isSet(cell, 'konkurs'))
    return { status: 'insolvent', code: 'konkurs', label: 'Konkurs', since: findDay(cell, 'konkursdato') };
  const reconstructionAt = findDay(cell, 'underRekonstruksjonsforhandlingDato');
  if (reconstructionAt) return { ...RECONSTRUCTION, since: reconstructionAt };
  const foreignInsolvencyAt = findDay(cell, 'underUtenlandskInsolvensbehandlingDato');
  if (foreignInsolvencyAt) return { ...FOREIGN_INSOLVENCY, since: foreignInsolvencyAt };
  if (isSet(cell, COMPULSORY_WINDING_UP.code)) return { ...COMPULSORY_WINDING_UP, ...findReason(cell) };
  if (isSet(cell, WINDING_UP.code)) return { ...WINDING_UP, since: findDay(cell, 'underAvviklingDato') };
  return { status: FLAGS.some((column) => isUnreadable(cell, column)) ? 'unknown' : 'active' };
}

const WINDING_UP = { status: 'in_liquidation', code: 'underAvvikling', label: 'Under avvikling' } as const;
const RECONSTRUCTION = {
  status: 'insolvent',
  code: 'underRekonstruksjonsforhandling',
  label: 'Under rekonstruksjonsforhandling',
} as const;
const FOREIGN_INSOLVENCY = {
  status: 'insolvent',
  code: 'underUtenlandskInsolvensbehandling',
  label: 'Under utenlandsk insolvensbehandling',
} as const;
const COMPULSORY_WINDING_UP = {
  status: 'in_liquidation',
  code: 'underTvangsavviklingEllerTvangsopplosning',
  label: 'Under tvangsavvikling eller tvangsoppløsning',
} as const;

const REASONS: readonly (readonly [code: string, text: string])[] = [
  ['tvangsopplostPgaManglendeDagligLeder', 'Manglende daglig leder'],
  ['tvangsopplostPgaManglendeRevisor', 'Manglende revisor'],
  ['tvangsopplostPgaManglendeRegnskap', 'Manglende regnskap'],
  ['tvangsopplostPgaMangelfulltStyre', 'Mangelfullt styre'],
  ['tvangsavvikletPgaManglendeSletting', 'Manglende sletting'],
];

/** Why an entity is wound up by force, and since when: the earliest of its reasons. */
function findReason(cell: Cell): Pick<State, 'since' | 'reason' | 'reasonCode'> {
  let found: Pick<State, 'since' | 'reason' | 'reasonCode'> = {};
  for (const [reasonCode, reason] of REASONS) {
    const since = findDay(cell, `${reasonCode}Dato`);
    if (since !== null && (!found.since || since < found.since)) found = { since, reason, reasonCode };
  }
  return found;
}

/** Columns that decide the status. */
const FLAGS = [
  ...['konkurs', 'underAvvikling', 'underTvangsavviklingEllerTvangsopplosning'],
  ...['underRekonstruksjonsforhandlingDato', 'underUtenlandskInsolvensbehandlingDato'],
];

function isUnreadable(cell: Cell, column: string): boolean {
  const written = cell(column).trim();
  return written !== '' && (column.endsWith('Dato') ? readDate(written) === null : !/^(?:true|false)$/.test(written));
}

/** The day in a column, which is reported where the record shows it. */
export function findDay(cell: Cell, column: string): string | null {
  return readDate(cell(column).trim());
}

export function isSet(cell: Cell, column: string): boolean {
  return cell(column).trim() === 'true';
}
