/** Florida: the corporate data of the Division of Corporations (Sunbiz), in lines of 1,440 characters. */
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { tableFields } from '../fields.ts';
import { findJurisdiction } from '../jurisdictions.ts';
import { readRecordParty } from '../mapped.ts';
import { readMonthFirst } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';

const { labels, meanings } = readCodeLists('us-fl');
const [STATUSES, ROLES] = [meanings<EntityStatus>('status'), meanings<PartyOf['role']>('title')];
const { text, texts, replaced, parsed, number, group, code, address, further } = tableFields();

/** Zeros mean that the day is missing. */
const day = parsed((written) => (/^0+$/.test(written) ? undefined : readMonthFirst(written)), 'not a date');
const readStatus = code('status', labels('status'), 'status');

const place = (prefix: string) =>
  address(
    group({
      lines: texts(`${prefix}Address1`, `${prefix}Address2`),
      city: text(`${prefix}City`),
      region: text(`${prefix}State`),
      postCode: text(`${prefix}Zip`),
      country: replaced(`${prefix}Country`, /^US$/),
      countryCode: (cell) => (cell(`${prefix}Country`).trim() === 'US' ? 'US' : null),
    }),
    ENGLISH_STYLE,
  );

/** Of a person, the last name has 20 characters and the first name 14. Officers are withheld as persons are: their cells have that mark. */
function readParty(cell: Cell, prefix: string, role: PartyOf['role'], roleLabel: string): PartyOf[] {
  const [written, type] = [cell(`${prefix}Name`), cell(`${prefix}Type`).trim()];
  const parts = type === 'P' ? [written.slice(20, 34), written.slice(34), written.slice(0, 20)] : [written];
  const name = parts.join(' ').replace(/\s+/g, ' ').trim();
  const kind = type === 'P' ? 'person' : 'organisation';
  const isCertain = type === 'P' || `${prefix}${type}` === 'agentC';
  return name === '' ? [] : [{ role, roleLabel, ...(isCertain && { kind }), name }];
}

const OFFICER_NUMBERS = [1, 2, 3, 4, 5, 6];
const mapEntity = describeRecord<Cell, unknown>({
  excluded: ['an agent', (cell) => cell('filingType').trim() === 'AGENT'],
  name: text('name'),
  number: number('documentNumber', /^[A-Z\d]{5,12}$/, 'not a document number'),
  registeredAt: day('filed'),
  status(...row) {
    const found = readStatus(...row);
    return { status: STATUSES.get(found?.code ?? '') ?? 'unknown', ...found };
  },
  legalForm: code('filingType', labels('form'), 'legalForm'),
  registrations: [ownNumber('Florida Department of State')],
  registry: {
    status: ownStatus,
    jurisdiction: (cell) => findJurisdiction(cell('formedIn').trim(), 'US'),
    formedIn: text('formedIn'),
    address: place('principal'),
    addresses: further('postal', place('mailing')),
    parties: (cell) => [
      ...readParty(cell, 'agent', 'other', 'Registered Agent'),
      ...OFFICER_NUMBERS.flatMap((at) => {
        const title = cell(`officer${at}Title`).trim();
        return readParty(cell, `officer${at}`, ROLES.get(title) ?? 'other', title || 'Officer');
      }),
    ],
    annualReports: (...row) => REPORTS.flatMap((read) => read(...row) ?? []),
    lastTransactionAt: day('lastTransaction'),
  },
});

const REPORTS = [1, 2, 3].map((at) => group({ year: text(`report${at}Year`), filedAt: day(`report${at}Filed`) }));

const PLACE = [42, 42, 28, 2, 10, 2];
const REPORTED = [8, 14, 1, 8, 2, ...REPORTS.flatMap(() => [4, 1, 8])];
const OFFICERS = OFFICER_NUMBERS.flatMap(() => [4, 1, 42, 42, 28, 2, 9]);
const widths = [12, 192, 1, 15, ...PLACE, ...PLACE, ...REPORTED, 42, 1, 42, 28, 2, 9, ...OFFICERS, 4];
const LINES = { delimiter: '\0', quote: null, encoding: 'iso-8859-1', widths } as const;

const PAGE = 'https://dos.sunbiz.org/data-definitions/cor.html';
const INSTEAD = `Import cordata.zip of the quarter, see ${PAGE}`;
const ENTITY = { 0: /^[A-Z]?\d{5,11}$/, 2: /^[AI]$/ };
const file = (name: string, fileName: RegExp, cells = {}) =>
  ({ name, csv: LINES, required: [], headerless: { fileName, cells } }) as const;

export const usFl = defineRegister({
  id: 'us-fl',
  sources: [
    { ...file('changes', /\d{8}c\.txt/i, ENTITY), refusal: `this file has the changes of one day. ${INSTEAD}` },
    { ...file('events', /corevt|\d{8}ce\.txt/i), refusal: `this file has events. ${INSTEAD}` },
    {
      ...file('entities', /./, ENTITY),
      isOrganisation: (row) => row('agentType').trim() === 'C',
      map: mapEntity,
    },
  ],
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'document number', form: /^[A-Z]\d{11}$/ }],
});
