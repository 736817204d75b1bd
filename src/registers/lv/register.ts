/**
 * Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities including dissolved ones, published
 * daily.
 */
import { defineRegister } from '../contract.ts';
import { COLUMNS } from './columns.ts';
import { mapEntity } from './map.ts';
import { checkNumber } from './number.ts';
import { REFUSED_SOURCES } from './refusals.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

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
    origin: {
      readIn: 'opensanctions/opensanctions, datasets/lv/business_register',
      readAt: '2026-11-16',
      seenWorking: false,
    },
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
    ...REFUSED_SOURCES,
  ],
  checkNumber,
  readCodes: () => null,
});
