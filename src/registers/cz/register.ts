/** Czechia: the Register of Economic Subjects (RES) of the statistical office, with its activities and code lists. */
import { defineRegister, type TableSource } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { ACTIVITIES } from './activities.ts';
import { type Codes, readCodes } from './codes.ts';
import { ACTIVITY_COLUMNS, AUTHORITY, COLUMNS, mapSubject } from './map.ts';
import { checkNumber } from './number.ts';
import { REFUSED_SOURCES } from './refusals.ts';

/** The files are in UTF-8, but the server has also declared windows-1250, so that is the fallback. */
const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8', fallback: 'windows-1250' } as const;

const table = (source: Omit<TableSource<Codes>, 'kind' | 'match' | 'csv'>): TableSource<Codes> => ({
  kind: 'table',
  match: 'folded',
  csv: CSV,
  ...source,
});

export const cz = defineRegister<Codes>({
  id: 'cz',
  country: 'CZ',
  name: 'Register of Economic Subjects of Czechia',
  nativeName: 'Registr ekonomických subjektů (RES)',
  publisher: AUTHORITY,
  licence: 'CC BY 4.0',
  attribution: 'Český statistický úřad, Registr ekonomických subjektů, CC BY 4.0',
  sourceUrl: 'https://csu.gov.cz/produkty/registr-ekonomickych-subjektu-otevrena-data',
  companyPage: 'https://apl.czso.cz/res/detail?ico={number}',
  updates: 'twice a month',
  fetch: {
    kind: 'fixed',
    files: [
      { url: 'https://opendata.csu.gov.cz/soubory/od/od_org03/res_data.csv' },
      { url: 'https://opendata.csu.gov.cz/soubory/od/od_org03/res_pf_nace.csv' },
      ...[56, 80004, 80143].map((list) => ({
        url: `https://apl.czso.cz/iSMS/do_cis_export?kodcis=${list}&typdat=0&cisjaz=203&format=2&separator=%2C`,
        name: `cis_${list}.csv`,
      })),
    ],
    size: { min: 700_000_000, max: 8_000_000_000 },
    origin: { readIn: 'the page of the statistical office and kokes/od, data/res', ...UNTRIED },
  },
  files: ['res_data.csv, with res_pf_nace.csv and code lists of the statistical office'],
  minimumRows: 2_500_000,
  vatNumber: /^CZ(\d{8})$/,
  numberColumns: ['ICO'],
  letters: /[áčďéěíňóřšťúůýž]/iu,
  sources: [
    table({
      name: 'res_data',
      columns: COLUMNS,
      required: ['ICO', 'FIRMA', 'FORMA', 'DDATVZN', 'DDATZAN'],
      key: 'ICO',
      map: mapSubject,
    }),
    table({
      name: ACTIVITIES,
      columns: ACTIVITY_COLUMNS,
      required: ['ICO', 'KODCIS', 'HODN'],
      joins: { column: 'ICO' },
    }),
    table({
      name: 'code list',
      columns: ['KODJAZ', 'AKRCIS', 'KODCIS', 'CHODNOTA', 'ZKRTEXT', 'TEXT', 'ADMPLOD', 'ADMNEPO'],
      required: ['KODCIS', 'CHODNOTA', 'TEXT'],
    }),
    table({
      name: 'code list (vdb)',
      columns: ['ciselnik', 'kod_polozky', 'text'],
      required: ['ciselnik', 'kod_polozky', 'text'],
    }),
    ...REFUSED_SOURCES,
  ],
  writeNumber: (number) => number.padStart(8, '0'),
  checkNumber,
  readCodes,
});
