import { gb } from '../../../src/registers/gb/register.ts';
import { type CodeList, mapWith, parseCases, readStatus, type Without } from './code-list.ts';

/** The texts as the file writes them. */
const STATUSES = `
Active = active
Active - Proposal to Strike off = active
Open = active
Registered = active
Liquidation = in_liquidation
Administration = insolvent
In Administration = insolvent
In Administration/Administrative Receiver = insolvent
In Administration/Receiver Manager = insolvent
ADMINISTRATION ORDER = insolvent
ADMINISTRATIVE RECEIVER = insolvent
RECEIVERSHIP = insolvent
RECEIVER MANAGER / ADMINISTRATIVE RECEIVER = insolvent
Live but Receiver Manager on at least one charge = insolvent
Voluntary Arrangement = insolvent
VOLUNTARY ARRANGEMENT / ADMINISTRATIVE RECEIVER = insolvent
VOLUNTARY ARRANGEMENT / RECEIVER MANAGER = insolvent
Insolvency Proceedings = insolvent
Dissolved = dissolved
Converted/Closed = dissolved
Closed = dissolved
Removed = dissolved
`;
const cases = parseCases(STATUSES);
const written = new Map([
  ...cases,
  ...cases.flatMap(([text, status]) => [
    [text.toUpperCase(), status] as const,
    [text.toLowerCase(), status] as const,
    [` ${text} `, status] as const,
    [text.replaceAll(' / ', '/'), status] as const,
    [text.replace(/(?<! )\/(?! )/g, ' / '), status] as const,
  ]),
]);

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(
      gb,
      'companies',
      {},
      (CompanyStatus) => ({ row: { CompanyName: 'HARBOUR KITES LIMITED', CompanyStatus } }),
      readStatus,
    ),
    cases: [...written],
    others: { values: ['Dormant', 'Struck off', 'Inactive', ''], shown: 'unknown', reported: true },
  },
];

export const without: Without = {
  legalForm: 'the file has the text of every form, and no codes',
  role: 'persons with significant control are in another file',
};
