import type { MappedRecord } from '../../../src/registers/contract.ts';
import { sg } from '../../../src/registers/sg/register.ts';
import {
  type Case,
  type CodeList,
  mapWith,
  parseCases,
  readFormLabel,
  readRole,
  readStatus,
  type Without,
} from './code-list.ts';

const entity = { uen: '199900001A', entity_name: 'SILENT POND PTE. LTD.', entity_status_description: 'Live' };
const mapEntity = (column: string, read: (record: MappedRecord) => string | null | undefined) =>
  mapWith(sg, 'corporate entities', {}, (value) => ({ row: { ...entity, [column]: value } }), read);

const STATUSES = parseCases(`
  Live Company = active
  Live = active
  Live (Receiver or Receiver and Manager appointed) = insolvent
  Struck Off = dissolved
  Struck Off (Early Dissolution) = dissolved
  Struck Off (Early Dissolution - simplified winding up) = dissolved
  Terminated = dissolved
  Cancelled = dissolved
  Cancelled (Non-Renewal) = dissolved
  Ceased Registration = dissolved
  Ceased Registration (Transferred to Singapore) = dissolved
  Converted To LLP = dissolved
  Amalgamated = dissolved
  Registration expired and has not been renewed = dissolved
  Removed (Applied To Be Revoked) = dissolved
  Removed (Dissolved) = dissolved
  Revoked (Failed To Transfer Registration) = dissolved
  Dissolved = dissolved
  Dissolved - Members Voluntary Winding Up = dissolved
  Dissolved - Creditors Voluntary Winding Up = dissolved
  Dissolved - Compulsory Winding Up (Insolvency) = dissolved
  Dissolved - Pursuant to Section 212(1)(D) Of The Companies Act = dissolved
  Gazetted To Be Struck Off = active
  In Liquidation - Members voluntary winding up = in_liquidation
  In Liquidation - Creditors voluntary winding up = in_liquidation
  In Liquidation - Compulsory Winding Up (Insolvency) = in_liquidation
  In Liquidation - Simplified Winding Up = in_liquidation
  Cancellation In Progress = active
  Suspended = inactive
  To Be Ceased = active
  Under Judicial Management = insolvent
`);
const FORMS = [
  ...['PRIVATE', 'EXEMPT PRIVATE', 'PUBLIC'].map((kind) => `${kind} COMPANY LIMITED BY SHARES`),
  'PUBLIC COMPANY LIMITED BY GUARANTEE',
  ...['PRIVATE', 'EXEMPT PRIVATE', 'PUBLIC'].map((kind) => `UNLIMITED ${kind} COMPANY`),
];

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapEntity('entity_status_description', readStatus),
    cases: [
      ...STATUSES,
      ...STATUSES.map(([text, status]): Case => [` ${text.toUpperCase()} `, status]),
      // Missing values, which are not reported.
      ['na', 'unknown'],
      ['', 'unknown'],
    ],
    others: {
      values: ['Alive', 'Not Live', 'To Be Dissolved', 'Removed', 'Live (Dormant)'],
      shown: 'unknown',
      reported: true,
    },
  },
  {
    list: 'status',
    map: mapWith(
      sg,
      'entities with UEN',
      {},
      (value) => ({ row: { uen: '199900001A', entity_name: 'SILENT POND', uen_status_desc: value } }),
      readStatus,
    ),
    cases: parseCases('Registered = active\nDeregistered = dissolved\nREGISTERED = active'),
    others: { values: ['Unregistered'], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapEntity('company_type_description', readFormLabel),
    cases: [...FORMS.map((form): Case => [form, form]), ['na', null]],
  },
  {
    list: 'role',
    map: mapEntity('name_of_audit_firm1', readRole),
    cases: [
      ['CALM WATERS LLP', 'auditor'],
      ['na', null],
    ],
  },
  {
    // SSIC codes have five digits; files that a spreadsheet has saved lack leading zeros.
    list: 'activity',
    map: mapEntity('primary_ssic_code', ({ activities }) => activities[0]?.code),
    cases: parseCases('64120 = 64120\n1111 = 01111\n01111 = 01111\n3110 = 03110\nna = -'),
  },
];

export const without: Without = {};
