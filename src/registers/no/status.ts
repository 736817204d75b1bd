/** The register has flags and dates instead of a status. The most serious one that is set decides. */
import type { EntityStatus } from '../contract.ts';
import { compact } from '../parsing.ts';
import { locate } from './columns.ts';
import type { Registry } from './registry.ts';
import type { Row } from './row.ts';

export interface Flag {
  readonly code: string;
  readonly label: string;
  readonly since?: string;
  readonly reason?: string;
  readonly reasonCode?: string;
}

interface Decision {
  readonly status: EntityStatus;
  /** The flag that decides, by its name in the register and in words. Null if none is set. */
  readonly flag: Flag | null;
}

export function decideStatus(row: Row, registry: Registry): Decision {
  const { endedAt, bankruptAt, reconstructionAt, foreignInsolvencyAt, windingUpAt } = registry;
  if (endedAt) return decide('dissolved', 'slettet', endedAt);
  if (registry.bankrupt) return decide('insolvent', 'konkurs', bankruptAt);
  if (reconstructionAt) return decide('insolvent', 'underRekonstruksjonsforhandling', reconstructionAt);
  if (foreignInsolvencyAt) return decide('insolvent', 'underUtenlandskInsolvensbehandling', foreignInsolvencyAt);
  if (registry.compulsoryWindingUp) {
    const [reasonCode, since] = findReason(registry);
    return decide('in_liquidation', 'underTvangsavviklingEllerTvangsopplosning', since, reasonCode);
  }
  if (registry.windingUp) return decide('in_liquidation', 'underAvvikling', windingUpAt);
  return { status: hasUnreadableFlag(row, registry) ? 'unknown' : 'active', flag: null };
}

const LABELS = {
  slettet: 'Slettet',
  konkurs: 'Konkurs',
  underRekonstruksjonsforhandling: 'Under rekonstruksjonsforhandling',
  underUtenlandskInsolvensbehandling: 'Under utenlandsk insolvensbehandling',
  underTvangsavviklingEllerTvangsopplosning: 'Under tvangsavvikling eller tvangsoppløsning',
  underAvvikling: 'Under avvikling',
} as const;

function decide(status: EntityStatus, code: keyof typeof LABELS, since?: string, reasonCode?: Reason): Decision {
  const reason = reasonCode && REASONS[reasonCode].text;
  return { status, flag: { code, label: LABELS[code], ...compact({ since, reason, reasonCode }) } };
}

const REASONS = {
  tvangsopplostPgaManglendeDagligLeder: { field: 'noManagerAt', text: 'Manglende daglig leder' },
  tvangsopplostPgaManglendeRevisor: { field: 'noAuditorAt', text: 'Manglende revisor' },
  tvangsopplostPgaManglendeRegnskap: { field: 'noAccountsAt', text: 'Manglende regnskap' },
  tvangsopplostPgaMangelfulltStyre: { field: 'incompleteBoardAt', text: 'Mangelfullt styre' },
  tvangsavvikletPgaManglendeSletting: { field: 'notDeletedAt', text: 'Manglende sletting' },
} as const;
type Reason = keyof typeof REASONS;

/** Why an entity is wound up by force, and since when: the earliest of its reasons. */
function findReason({ compulsoryDissolution: dates }: Registry): readonly [reason?: Reason, since?: string] {
  let found: readonly [reason?: Reason, since?: string] = [];
  for (const [reason, { field }] of Object.entries(REASONS)) {
    const since = dates?.[field];
    if (since !== undefined && (found[1] === undefined || since < found[1])) found = [reason as Reason, since];
  }
  return found;
}

/** Columns that decide the status, with their fields. A filled column without its field could not be parsed. */
const FLAGS = (
  [
    ['konkurs', 'bankrupt'],
    ['underAvvikling', 'windingUp'],
    ['underTvangsavviklingEllerTvangsopplosning', 'compulsoryWindingUp'],
    ['underRekonstruksjonsforhandlingDato', 'reconstructionAt'],
    ['underUtenlandskInsolvensbehandlingDato', 'foreignInsolvencyAt'],
  ] as const
).map(([column, field]) => ({ place: locate(column), field }));

function hasUnreadableFlag(row: Row, registry: Registry): boolean {
  return FLAGS.some(({ place, field }) => registry[field] === undefined && row.text(place).trim() !== '');
}
