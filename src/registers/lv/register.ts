/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included. */
import { defineRegister, refuseTable } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, mapEntity } from './map.ts';
import { checkNumber } from './number.ts';
import { PARTY_SOURCES } from './parties.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

const STOCKHOLDERS =
  'https://data.gov.lv/dati/dataset/8a66567b-3583-4aa0-841b-eb13f025cd78/resource/6adabd83-93f9-4d7f-bebd-fa109bbf794a/download/stockholders.csv';

/** Names of the owners of joint shares refer to rows of the files of members and stockholders, not to a company. */
const JOINT_OWNERS =
  'this file names the owners of joint shares without the number of the company, so it cannot be imported. Import members.csv or ' +
  'stockholders.csv, which have the joint shares';

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
    // Not the file of beneficial owners, which are off unless they are asked for.
    files: [
      ...['register/register', 'officers/officers', 'members/members'].map((path) => ({
        url: `https://dati.ur.gov.lv/${path}.csv`,
      })),
      { url: STOCKHOLDERS },
    ],
    size: { min: 90_000_000, max: 900_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/lv/business_register', ...UNTRIED },
  },
  files: ['register.csv', 'officers.csv', 'members.csv', 'stockholders.csv', 'beneficial_owners.csv'],
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
    ...PARTY_SOURCES,
    refuseTable('joint owners', CSV, ['member_id', 'entity_type', 'name'], JOINT_OWNERS),
  ],
  checkNumber,
});
