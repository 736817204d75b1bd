/** The status of an establishment. That of the head office is the status of the company. */
import type { Cell, EntityStatus } from '../contract.ts';
import { type Context, lookUpLabel, readDay } from './cells.ts';

interface KnownStatus {
  readonly status: EntityStatus;
  readonly label: string;
  /** Whether the date of the status is the day on which the establishment ended. */
  readonly isEnd?: true;
}

/** The texts are those of the tax office. A void registration (`NULA`) was annulled. */
const STATUSES: ReadonlyMap<string, KnownStatus> = new Map([
  ['01', { status: 'dissolved', label: 'NULA', isEnd: true }],
  ['02', { status: 'active', label: 'ATIVA' }],
  ['03', { status: 'inactive', label: 'SUSPENSA' }],
  ['04', { status: 'inactive', label: 'INAPTA' }],
  ['08', { status: 'dissolved', label: 'BAIXADA', isEnd: true }],
]);
const NO_REASON = '00';

/** A special situation of a company that has not ended. Any other text has no effect on the status. */
const SPECIAL: readonly (readonly [RegExp, EntityStatus])[] = [
  [/RECUPERACAO|FALID|FALENCIA|CONCORDATA|INTERVENCAO/, 'insolvent'],
  [/LIQUIDACAO/, 'in_liquidation'],
];

export interface EstablishmentStatus {
  readonly code: string | null;
  readonly label: string | null;
  readonly since: string | null;
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly endedAt: string | null;
}

export function readEstablishmentStatus(row: Cell, context: Context): EstablishmentStatus {
  const code = row('situacao_cadastral').trim();
  const since = readDay('data_situacao_cadastral', row, context);
  const known = findStatus(code);
  const reasonCode = row('motivo_situacao_cadastral').trim();
  const hasReason = reasonCode !== '' && reasonCode !== NO_REASON;
  return {
    code: code || null,
    label: known?.label ?? null,
    since,
    reasonCode: hasReason ? reasonCode : null,
    reason: hasReason ? lookUpLabel('motivos', reasonCode, context) : null,
    endedAt: known?.isEnd ? since : null,
  };
}

/** Some tools that re-save the files drop the leading zero, so codes are padded before they are looked up. */
function findStatus(code: string): KnownStatus | undefined {
  return STATUSES.get(code.padStart(2, '0'));
}

/** The status of a company, and the column that it was inferred from if it is not the status column. */
export function decideStatus(head: Cell, context: Context): { status: EntityStatus; inferredFrom: string | null } {
  const code = head('situacao_cadastral').trim();
  const status = findStatus(code)?.status;
  if (status === undefined) context.reportUnknown('status', 'situacao_cadastral', code);
  const situation = status === 'active' || status === 'inactive' ? head('situacao_especial') : '';
  const special = situation === '' ? undefined : SPECIAL.find(([pattern]) => pattern.test(situation))?.[1];
  return special === undefined
    ? { status: status ?? 'unknown', inferredFrom: null }
    : { status: special, inferredFrom: 'situacao_especial' };
}
