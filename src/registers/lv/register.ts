/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included. */
import { defineRegister, refuseTable } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, mapEntity } from './map.ts';
import { checkNumber } from './number.ts';
import { JOINT_REQUIRED, type JointShares, PARTY_SOURCES, readJointShares } from './parties.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

const DOWNLOAD = 'https://dati.ur.gov.lv';
const STOCKHOLDERS = 'https://data.gov.lv/dati/dataset/8a66567b-3583-4aa0-841b-eb13f025cd78/resource';

const JOINT_OWNERS =
  'this file names the owners of joint shares, and only its name says of which file. Name it members_joint_owners.csv or ' +
  'stockholders_joint_owners.csv';

export const lv = defineRegister<JointShares>({
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
    files: [
      { url: `${DOWNLOAD}/register/register.csv` },
      { url: `${DOWNLOAD}/officers/officers.csv`, parties: 'officers' },
      { url: `${DOWNLOAD}/members/members.csv`, parties: 'members' },
      { url: `${DOWNLOAD}/members/members_joint_owners.csv`, parties: 'members' },
      {
        url: `${STOCKHOLDERS}/6adabd83-93f9-4d7f-bebd-fa109bbf794a/download/stockholders.csv`,
        parties: 'stockholders',
      },
      {
        url: `${STOCKHOLDERS}/55370dca-6765-4566-b2cc-42537782f750/download/stockholders_joint_owners.csv`,
        parties: 'stockholders',
      },
      { url: `${DOWNLOAD}/beneficial_owners/beneficial_owners.csv`, parties: 'beneficial_owners' },
    ],
    size: { min: 90_000_000, max: 900_000_000, minWithoutParties: 60_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/lv/business_register', ...UNTRIED },
  },
  files: [
    ...['register.csv', 'officers.csv', 'members.csv', 'members_joint_owners.csv', 'stockholders.csv'],
    ...['stockholders_joint_owners.csv', 'beneficial_owners.csv'],
  ],
  minimumRows: 388_000,
  vatNumber: /^LV(\d{11})$/,
  numberColumns: ['regcode'],
  letters: /[āčēģīķļņōŗšūž]/iu,
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
    refuseTable('joint owners', CSV, JOINT_REQUIRED, JOINT_OWNERS),
  ],
  checkNumber,
  readCodes: readJointShares,
});
