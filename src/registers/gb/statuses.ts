import type { EntityStatus } from '../contract.ts';

/** Keys are in lower case and without spaces around `/`: the file writes `In Administration` and `ADMINISTRATION ORDER`. */
export const STATUSES: ReadonlyMap<string, EntityStatus> = new Map<string, EntityStatus>([
  ['active', 'active'],
  ['active - proposal to strike off', 'active'],
  ['open', 'active'],
  ['registered', 'active'],
  ['liquidation', 'in_liquidation'],
  ['administration', 'insolvent'],
  ['in administration', 'insolvent'],
  ['in administration/administrative receiver', 'insolvent'],
  ['in administration/receiver manager', 'insolvent'],
  ['administration order', 'insolvent'],
  ['administrative receiver', 'insolvent'],
  ['receivership', 'insolvent'],
  ['receiver manager/administrative receiver', 'insolvent'],
  ['live but receiver manager on at least one charge', 'insolvent'],
  ['voluntary arrangement', 'insolvent'],
  ['voluntary arrangement/administrative receiver', 'insolvent'],
  ['voluntary arrangement/receiver manager', 'insolvent'],
  ['insolvency proceedings', 'insolvent'],
  ['dissolved', 'dissolved'],
  ['converted/closed', 'dissolved'],
  ['closed', 'dissolved'],
  ['removed', 'dissolved'],
]);
