/** New York: active corporations and other entities, published by the Department of State on the open data portal of the state. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, CSV, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { findJurisdiction } from '../jurisdictions.ts';
import { readRecordParty } from '../mapped-party.ts';
import { describeRecord, ownNumber } from '../record.ts';
import type { PartyOf, TypedAddressOf } from '../vocabulary.ts';

const { text, texts, monthFirst, number, group, address } = tableFields();

/** The parts of an address are five columns. The state is a word in old rows and two letters in new rows. */
const place = (prefix: string) =>
  address(
    group({
      lines: texts(`${prefix} Address 1`, `${prefix} Address 2`),
      city: text(`${prefix} City`),
      region: text(`${prefix} State`),
      postCode: text(`${prefix} Zip`),
    }),
    ENGLISH_STYLE,
  );

const PROCESS = 'DOS Process';
const readProcess = place(PROCESS);
const PARTIES = [
  ['CEO', 'director'],
  [PROCESS, 'other'],
  ['Registered Agent', 'other'],
] as const;

const mapEntity = describeRecord<Cell, unknown>({
  name: text('Current Entity Name'),
  number: number('DOS ID', /^[1-9]\d{0,8}$/, 'not a DOS ID'),
  registeredAt: monthFirst('Initial DOS Filing Date'),
  status: () => ({ status: 'active' }),
  legalForm: group({ label: text('Entity Type') }),
  registrations: [ownNumber('New York Department of State')],
  registry: {
    statusInferredFrom: () => 'file',
    jurisdiction: (cell) => findJurisdiction(cell('Jurisdiction').trim(), 'US'),
    formedIn: text('Jurisdiction'),
    county: text('County'),
    address: place('Location'),
    locationName: text('Location Name'),
    // Where process is served is often a lawyer or an agent, and not the company.
    addresses(cell, context, common): readonly TypedAddressOf[] | null {
      const found = cell(`${PROCESS} Name`).trim() === common.name ? readProcess(cell, context, common) : null;
      return found && [{ type: 'postal', ...found }];
    },
    parties: (cell, _context, common) =>
      PARTIES.flatMap(([roleLabel, role]): PartyOf[] => {
        const name = cell(`${roleLabel} Name`).trim();
        return name === '' || name === common.name ? [] : [{ role, roleLabel, name }];
      }),
  },
});

const DATASET = 'https://data.ny.gov/d/n9v6-gdp6';

export const usNy = defineRegister({
  id: 'us-ny',
  name: 'Active Corporations of New York',
  nativeName: 'Active Corporations: Beginning 1800',
  publisher: 'New York Department of State, Division of Corporations',
  licence: 'Unknown',
  attribution: 'New York Department of State, Active Corporations: Beginning 1800',
  sourceUrl: DATASET,
  updates: 'monthly',
  fetch: {
    kind: 'fixed',
    files: [
      {
        url: 'https://data.ny.gov/api/views/n9v6-gdp6/rows.csv?accessType=DOWNLOAD',
        name: 'Active_Corporations___Beginning_1800.csv',
      },
    ],
    size: { min: 450_000_000, max: 5_000_000_000 },
    readIn: 'axibase/open-data-catalog, socrata/n9v6-gdp6.md',
  },
  files: ['Active_Corporations___Beginning_1800.csv'],
  minimumRows: 3_400_000,
  numberColumns: ['DOS ID'],
  sources: [
    {
      name: 'entities',
      csv: CSV,
      required: ['DOS ID', 'Current Entity Name', 'Entity Type'],
      // The export has titles, the API has names: `CEO Name`, `chairman_name`.
      match: (header) =>
        fold(header)
          .replaceAll('_', ' ')
          .replace(/^chairman /, 'ceo '),
      map: mapEntity,
    },
    {
      name: 'other tables of the department',
      csv: CSV,
      required: ['DOS ID'],
      match: (header) => fold(header).replaceAll('_', ' '),
      refusal: `this is another table of the Department of State. Import Active Corporations: Beginning 1800 from ${DATASET}`,
    },
    {
      name: 'answers of the API',
      format: { type: 'json' },
      required: ['dos_id', 'current_entity_name'],
      refusal: `this is an answer of the API in JSON. Import the CSV export of Active Corporations: Beginning 1800 from ${DATASET}`,
    },
  ],
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'DOS ID', form: /^[1-9]\d{0,8}$/ }],
});
