import type { EntityStatus } from '../contract.ts';

/** Keys are in lower case, because the file mixes cases: `In Administration`, `ADMINISTRATION ORDER`. */
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
  ['receiver manager / administrative receiver', 'insolvent'],
  ['live but receiver manager on at least one charge', 'insolvent'],
  ['voluntary arrangement', 'insolvent'],
  ['voluntary arrangement / administrative receiver', 'insolvent'],
  ['voluntary arrangement / receiver manager', 'insolvent'],
  ['dissolved', 'dissolved'],
  ['converted/closed', 'dissolved'],
  ['closed', 'dissolved'],
  ['removed', 'dissolved'],
]);
