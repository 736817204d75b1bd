import { fold } from '../../core/fold.ts';
import type { EntityStatus } from '../contract.ts';

export const COLUMNS = [
  ...['Company Name', 'ACN', 'Type', 'Class', 'Sub Class', 'Status', 'Date of Registration'],
  ...['Date of Deregistration', 'Previous State of Registration', 'State Registration number'],
  ...['Modified since last report', 'Current Name Indicator', 'ABN', 'Current Name', 'Current Name Start Date'],
] as const;

interface Status {
  readonly status: EntityStatus;
  readonly label: string;
}

/**
 * The ten codes of the publisher's help file and those of its other lists, of which the file uses CNCL. SOFF is active: the
 * company exists until the strike-off is complete. DIV3, PEND and PROV do not say whether the company operates, so they are
 * `unknown`. CNCL: it continues under another law.
 */
export const STATUSES: ReadonlyMap<string, Status> = new Map([
  ['REGD', { status: 'active', label: 'Registered' }],
  ['SOFF', { status: 'active', label: 'Strike-off action in progress' }],
  ['EXAD', { status: 'insolvent', label: 'External administration (in receivership/liquidation)' }],
  ['NOAC', { status: 'inactive', label: 'Not active' }],
  ['NRGD', { status: 'inactive', label: 'Not registered' }],
  ['CNCL', { status: 'inactive', label: 'Cancelled' }],
  ['DMNT', { status: 'inactive', label: 'Dormant' }],
  ['ASOS', { status: 'active', label: 'Association Strike Off Status' }],
  ['EXAA', { status: 'insolvent', label: 'External Administration - Associations' }],
  ['WDUP', { status: 'in_liquidation', label: 'Winding Up - Managed Investments Schemes' }],
  ['WDPI', { status: 'in_liquidation', label: 'Winding Up - Prescribed Interest Schemes' }],
  ['DRGD', { status: 'dissolved', label: 'De-registered' }],
  ['DISS', { status: 'dissolved', label: 'Dissolved by Special Act of Parliament' }],
  ['DIV3', { status: 'unknown', label: 'Organisation Transferred Registration via DIV3' }],
  ['PEND', { status: 'unknown', label: 'Pending - Schemes' }],
  ['PROV', { status: 'unknown', label: 'Provisional' }],
]);

export const STRIKE_OFF = 'SOFF';

const CODES_BY_LABEL: ReadonlyMap<string, string> = new Map(
  Array.from(STATUSES, ([code, { label }]) => [fold(label), code] as const),
);

/** The code of a status that is written as a code in any case, or as its text. Other texts are returned unchanged. */
export function readStatusCode(text: string): string {
  const code = text.trim().toUpperCase();
  return STATUSES.has(code) ? code : (CODES_BY_LABEL.get(fold(text)) ?? text.trim());
}

export const TYPES: ReadonlyMap<string, string> = new Map([
  ['APTY', 'Australian Proprietary Company'],
  ['APUB', 'Australian Public Company'],
  ['ASSN', 'Association'],
  ['CCIV', 'Corporate Collective Investment Vehicle'],
  ['COOP', 'Co-operative Society'],
  ['FNOS', 'Foreign Company (Overseas)'],
  ['LTDP', 'Limited Partnership'],
  ['MISM', 'Managed Investment Scheme'],
  ['NONC', 'Non Company'],
  ['NRET', 'Non Registered Entity'],
  ['OBJN', 'Objection to registration of name'],
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
  ['NONE', 'Does not have an equivalent Australian liability'],
  ['UNKN', 'Liability Unknown'],
]);

export const SUB_CLASSES: ReadonlyMap<string, string> = new Map([
  ['EXPT', 'Exempt proprietary company'],
  ['HUNT', 'Proprietary home unit company'],
  ['LISN', "Company licensed under Section 383 to omit 'Limited' from its name"],
  ['LISS', "Company licensed under Section 383 to omit 'Limited' from its name - superannuation trustee company"],
  ['LIST', 'Listed public company'],
  ['NEXT', 'Non-exempt proprietary company'],
  ['NLTD', "Non-profit public company registered without 'Limited' in its name under Section 150"],
  ['PNPC', 'Proprietary non-profit company'],
  ['PROP', 'Proprietary other'],
  ['PSTC', 'Proprietary superannuation trustee company'],
  ['PUBF', 'Foreign company required to lodge a balance sheet'],
  ['RACA', 'Registrable Australian corporation - association'],
  ['RACO', 'Registrable Australian corporation - non association'],
  ['STFI', 'Public company - small transferring financial institution'],
  ['ULSN', 'Unlisted public - non-profit company'],
  ['ULSS', 'Unlisted public - superannuation trustee company'],
  ['ULST', 'Unlisted public company'],
]);

/** As a sub class, which has no such text: not known. */
export const NONE = 'NONE';
