/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included. */
import { defineRegister, refuseTable } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, mapEntity } from './map.ts';
import { checkNumber } from './number.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

/** Files about persons that the publisher offers too: what they list, and columns by which they are recognized. */
const OTHER_FILES: readonly (readonly [what: string, ...columns: string[]])[] = [
  ['beneficial owners', 'legal_entity_registration_number', 'forename', 'surname'],
  ['officers', 'at_legal_entity_registration_number', 'position'],
  ['members or stockholders', 'at_legal_entity_registration_number', 'number_of_shares'],
];
const refuse = (what: string) =>
  `this file lists ${what}, not companies. Import register.csv from https://dati.ur.gov.lv/register/register.csv`;

export const lv = defineRegister<null>({
  id: 'lv',
  country: 'LV',
  name: 'Register of Enterprises of the Republic of Latvia',
  nativeName: 'Uzņēmumu reģistrs',
  publisher: 'Latvijas Republikas Uzņēmumu reģistrs',
  licence: 'CC0 1.0',
  attribution: 'CC0 1.0: none is required',
  sourceUrl: 'https://data.gov.lv/dati/lv/dataset/uz',
  companyPage: 'https://info.ur.gov.lv/#/legal-entity/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: [{ url: 'https://dati.ur.gov.lv/register/register.csv' }],
    size: { min: 60_000_000, max: 600_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/lv/business_register', ...UNTRIED },
  },
  files: ['register.csv'],
  minimumRows: 388_000,
  vatNumber: /^LV(\d{11})$/,
  sources: [
    {
      kind: 'table',
      name: 'register',
      csv: CSV,
      columns: COLUMNS,
      required: ['regcode', 'name', 'regtype', 'type_text', 'registered', 'terminated', 'closed'],
      match: 'trimmed',
      map: mapEntity,
    },
    ...OTHER_FILES.map(([what, ...columns]) => refuseTable(what, CSV, columns, refuse(what))),
  ],
  checkNumber,
});
