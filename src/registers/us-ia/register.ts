/** Iowa: active business entities, published by the Secretary of State on the data hub of the state. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE, findCountryCode } from '../address.ts';
import { type Cell, CSV, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { readRecordParty } from '../mapped-party.ts';
import { describeRecord, ownNumber } from '../record.ts';

const { text, texts, day, number, is, group, address } = tableFields();

/** The country is `USA` in nearly all rows. */
const readCountry = (cell: Cell) => cell('ho_country').trim();
const isDomestic = is('corporation_type', /\bDOMESTIC\b/i);

const mapEntity = describeRecord<Cell, unknown>({
  name: text('legal_name'),
  number: number('corp_number', /^[A-Z\d]{1,12}$/i, 'not a corporation number'),
  registeredAt: day('effective_date'),
  status: () => ({ status: 'active' }),
  legalForm: group({ label: text('corporation_type') }),
  registrations: [ownNumber('Iowa Secretary of State')],
  registry: {
    statusInferredFrom: () => 'file',
    jurisdiction: (...row) => (isDomestic(...row) ? 'US-IA' : null),
    homeOffice: text('home_office'),
    address: address(
      group({
        lines: texts('ho_address_1', 'ho_address_2'),
        city: text('ho_city'),
        region: text('ho_state'),
        postCode: text('ho_zip'),
        country: (cell) => readCountry(cell).replace(/^USA$/, ''),
        countryCode: (cell) => findCountryCode(readCountry(cell), ['en']),
        location: text('ho_location'),
      }),
      ENGLISH_STYLE,
    ),
    parties(cell, _context, common) {
      const name = cell('registered_agent').trim();
      return name === '' || name === common.name ? null : [{ role: 'other', roleLabel: 'Registered Agent', name }];
    },
  },
});

const PAGE = 'https://data.iowa.gov/d/ez5t-3qay';
/** The export of 2017 had titles: `RA Address 1`. */
const writeHeader = (header: string) => fold(header).replaceAll(' ', '_');

export const usIa = defineRegister({
  id: 'us-ia',
  name: 'Active Iowa Business Entities',
  nativeName: 'Active Iowa Business Entities',
  publisher: 'Iowa Secretary of State',
  licence: 'Unknown',
  attribution: 'Iowa Secretary of State, Active Iowa Business Entities',
  sourceUrl: PAGE,
  updates: 'monthly',
  fetch: {
    kind: 'fixed',
    // The server returns an archive, in spite of the name `rows.csv`.
    files: [{ url: 'https://idh-be.iowa.gov/api/v1/datasets/554/rows.csv', name: 'active_iowa_business_entities.zip' }],
    size: { min: 5_000_000, max: 500_000_000 },
    readIn: 'axibase/open-data-catalog, socrata/ez5t-3qay.md, and a public importer',
  },
  files: ['active_iowa_business_entities.zip'],
  minimumRows: 200_000,
  numberColumns: ['corp_number'],
  sources: [
    {
      name: 'entities',
      csv: { ...CSV, fallback: 'iso-8859-1' },
      required: ['corp_number', 'legal_name', 'corporation_type'],
      match: writeHeader,
      map: mapEntity,
    },
    {
      name: 'other tables of the Secretary of State',
      csv: CSV,
      required: ['corp_number'],
      match: writeHeader,
      refusal: `this is another table of the Secretary of State. Import Active Iowa Business Entities from ${PAGE}`,
    },
  ],
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'corporation number', form: /^\d{6}$/ }],
});
