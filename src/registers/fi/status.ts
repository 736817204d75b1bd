/** Status of a company, from the state of its business id, its situations and its state in the trade register. */
import type { EntityStatus, MapContext } from '../contract.ts';
import { compact, lookUpStatus, type Tree, textOf, treesOf } from '../parsing.ts';
import { describeAll, isCurrent, readEntry } from './descriptions.ts';

type Context = MapContext<null>;

/** Codes of `tradeRegisterStatus`, in the words of the register's code list. */
export const TRADE_REGISTER_STATUSES: ReadonlyMap<string, string> = new Map([
  ['0', 'Unregistered'],
  ['1', 'Registered'],
  ['2', 'Removed'],
  ['3', 'Start-up'],
  ['4', 'Ceased'],
]);

/** A company need not be in the trade register: many associations are not. */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['0', 'active'],
  ['1', 'active'],
  ['2', 'inactive'],
  ['3', 'active'],
  ['4', 'dissolved'],
]);

/** Codes of `status`, the state of the business id. */
export const BUSINESS_ID_STATUSES: ReadonlyMap<string, string> = new Map([
  ['1', 'Pending'],
  ['2', 'Valid'],
  ['5', 'Invalidated'],
]);

/** Codes of `companySituations`. The register does not describe them in the file. */
const SITUATIONS: ReadonlyMap<string, { readonly label: string; readonly status: EntityStatus }> = new Map([
  ['KONK', { label: 'Konkurssi', status: 'insolvent' }],
  ['SANE', { label: 'Saneeraus', status: 'insolvent' }],
  ['SELTILA', { label: 'Selvitystila', status: 'in_liquidation' }],
]);
/** Situations with other codes are known by their descriptions: konkurssi, saneeraus, selvitystila. */
const INSOLVENT = /konk|bankrupt|sane|restructur|reorgani/i;
const LIQUIDATION = /selv|likvid|liquid/i;

export function readStatus(record: Tree, endedAt: string | null, context: Context): EntityStatus {
  const businessId = textOf(record, 'status');
  if (businessId !== '' && !BUSINESS_ID_STATUSES.has(businessId)) context.reportUnknown('status', 'status', businessId);
  const listed = lookUpStatus(STATUSES, 'tradeRegisterStatus', textOf(record, 'tradeRegisterStatus'), context);
  if (endedAt !== null || listed === 'dissolved' || businessId === '5') return 'dissolved';
  for (const situation of treesOf(record, 'companySituations').filter(isCurrent)) {
    const status = readSituation(situation);
    if (status !== null) return status;
    context.reportUnknown('status', 'companySituations', textOf(situation, 'type'));
  }
  // A company that is being founded has a pending business id.
  return businessId === '1' ? 'inactive' : listed;
}

/** The situations of a company, past ones included. */
export function listSituations(record: Tree, context: Context) {
  return treesOf(record, 'companySituations').map((situation) =>
    compact({ label: SITUATIONS.get(textOf(situation, 'type'))?.label, ...readEntry(situation, context) }),
  );
}

function readSituation(situation: Tree): EntityStatus | null {
  const code = textOf(situation, 'type');
  const text = Object.values(describeAll(situation)).join(' ');
  return (
    SITUATIONS.get(code)?.status ??
    (INSOLVENT.test(text) ? 'insolvent' : LIQUIDATION.test(text) ? 'in_liquidation' : null)
  );
}
