import { au } from '../../../src/registers/au/register.ts';
import { type CodeList, mapWith, parseCases, readFormLabel, readStatus, type Without } from './code-list.ts';

/**
 * The help file of the dataset has the first ten codes. The file itself also has CNCL (the registration was transferred to
 * another law), and the publisher's search of organisations has the others.
 */
const STATUSES = `
DRGD = De-registered = dissolved
EXAD = External administration (in receivership/liquidation) = insolvent
NOAC = Not active = inactive
NRGD = Not registered = inactive
PROV = Provisional = unknown
REGD = Registered = active
SOFF = Strike-off action in progress = active
DISS = Dissolved by Special Act of Parliament = dissolved
DIV3 = Organisation Transferred Registration via DIV3 = unknown
PEND = Pending - Schemes = unknown
CNCL = Cancelled = inactive
DMNT = Dormant = inactive
ASOS = Association Strike Off Status = active
EXAA = External Administration - Associations = insolvent
WDUP = Winding Up - Managed Investments Schemes = in_liquidation
WDPI = Winding Up - Prescribed Interest Schemes = in_liquidation
`;
const TYPES = `
APTY  Australian Proprietary Company
APUB  Australian Public Company
ASSN  Association
CCIV  Corporate Collective Investment Vehicle
COOP  Co-operative Society
FNOS  Foreign Company (Overseas)
LTDP  Limited Partnership
MISM  Managed Investment Scheme
NONC  Non Company
NRET  Non Registered Entity
OBJN  Objection to registration of name
RACN  Registered Australian Body
REBD  Religious Body
SOLS  Solicitor Corporation
TRST  Trust
`;
const CLASSES = `
LMSH  Limited by Shares
LMGT  Limited by Guarantee
LMSG  Limited by Shares and Guarantee
NLIA  No Liability
UNLM  Unlimited
UNKN  Liability Unknown
NONE  Does not have an equivalent Australian liability
`;
const SUB_CLASSES = `
EXPT  Exempt proprietary company
HUNT  Proprietary home unit company
LISN  Company licensed under Section 383 to omit 'Limited' from its name
LISS  Company licensed under Section 383 to omit 'Limited' from its name - superannuation trustee company
LIST  Listed public company
NEXT  Non-exempt proprietary company
NLTD  Non-profit public company registered without 'Limited' in its name under Section 150
NONE  -
PNPC  Proprietary non-profit company
PROP  Proprietary other
PSTC  Proprietary superannuation trustee company
PUBF  Foreign company required to lodge a balance sheet
RACA  Registrable Australian corporation - association
RACO  Registrable Australian corporation - non association
STFI  Public company - small transferring financial institution
ULSN  Unlisted public - non-profit company
ULSS  Unlisted public - superannuation trustee company
ULST  Unlisted public company
`;

const company = (column: string) => (value: string) => ({
  row: {
    'Company Name': 'HARBOUR KITES PTY LTD',
    ACN: '000000019',
    'Current Name Indicator': 'Y',
    Status: 'REGD',
    [column]: value,
  },
});
const readLabel = (field: 'class' | 'subClass') => (record: Parameters<typeof readStatus>[0]) =>
  (record.registry[field] as { readonly label?: string } | undefined)?.label;
const inOtherCases = (text: string) =>
  parseCases(text).flatMap(([code, shown]) => [[code, shown] as const, [` ${code.toLowerCase()} `, shown] as const]);
const byCode = STATUSES.replace(/^(\w+) = .* = /gm, '$1  ');
const byLabel = parseCases(STATUSES.replace(/^\w+ = (.*) = /gm, '$1  '));

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(au, 'companies', {}, company('Status'), readStatus),
    cases: [
      ...inOtherCases(byCode),
      ...byLabel,
      ...byLabel.map(([text, status]) => [text.toUpperCase(), status] as const),
    ],
    others: { values: ['', 'XXXX', 'REG', 'REGDX', 'Struck off'], shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapWith(au, 'companies', {}, company('Status'), (record) => record.registrations[0]?.status),
    cases: parseCases(STATUSES.replace(/ = \w+$/gm, '')),
  },
  {
    list: 'legalForm',
    map: mapWith(au, 'companies', {}, company('Type'), readFormLabel),
    cases: inOtherCases(TYPES),
    others: { values: ['XXXX', 'APT', 'LMSH'], shown: null, reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(au, 'companies', {}, company('Class'), readLabel('class')),
    cases: inOtherCases(CLASSES),
    others: { values: ['XXXX', 'PROP'], shown: null, reported: false },
  },
  {
    list: 'legalForm',
    map: mapWith(au, 'companies', {}, company('Sub Class'), readLabel('subClass')),
    cases: inOtherCases(SUB_CLASSES),
    // WHSL is in the file, but not in the help file.
    others: { values: ['WHSL', 'LMSH'], shown: null, reported: false },
  },
];

export const without: Without = { role: 'the file has no persons' };
