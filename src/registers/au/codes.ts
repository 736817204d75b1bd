import type { EntityStatus } from '../contract.ts';

export const COLUMNS = [
  'Company Name',
  'ACN',
  'Type',
  'Class',
  'Sub Class',
  'Status',
  'Date of Registration',
  'Date of Deregistration',
  'Previous State of Registration',
  'State Registration number',
  'Modified since last report',
  'Current Name Indicator',
  'ABN',
  'Current Name',
  'Current Name Start Date',
] as const;

/**
 * The ten codes of the publisher's help file. SOFF is active: the company exists until the strike-off is complete. DIV3
 * (registration transferred), PEND and PROV do not say whether the company operates, so they are `unknown`.
 */
export const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['REGD', 'active'],
  ['SOFF', 'active'],
  ['EXAD', 'insolvent'],
  ['NOAC', 'inactive'],
  ['NRGD', 'inactive'],
  ['DRGD', 'dissolved'],
  ['DISS', 'dissolved'],
  ['DIV3', 'unknown'],
  ['PEND', 'unknown'],
  ['PROV', 'unknown'],
]);

export const STRIKE_OFF = 'SOFF';

export const TYPES: ReadonlyMap<string, string> = new Map([
  ['APTY', 'Australian Proprietary Company'],
  ['APUB', 'Australian Public Company'],
  ['ASSN', 'Association'],
  ['COOP', 'Co-operative Society'],
  ['FNOS', 'Foreign Company (Overseas)'],
  ['LTDP', 'Limited Partnership'],
  ['MISM', 'Managed Investment Scheme'],
  ['NONC', 'Non Company'],
  ['NRET', 'Non Registered Entity'],
  ['RACN', 'Registered Australian Body'],
  ['REBD', 'Religious Body'],
  ['SOLS', 'Solicitor Corporation'],
  ['TRST', 'Trust'],
]);

export const CLASSES: ReadonlyMap<string, string> = new Map([
  ['LMSH', 'Limited by Shares'],
  ['LMGT', 'Limited by Guarantee'],
  ['LMSG', 'Limited by Shares and Guarantee'],
  ['NLIA', 'No Liability'],
  ['UNLM', 'Unlimited'],
  ['UNKN', 'Liability Unknown'],
]);
