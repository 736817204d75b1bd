/** Lithuania: the Register of Legal Entities (JAR), from the daily CSV or from records of the state's data API. */
import { defineRegister } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { API_COLUMNS, COLUMNS, ENDED_COLUMNS } from './codes.ts';
import { mapApiRecord, mapApiRow, mapEnded, mapEntity } from './map.ts';
import { checkNumber } from './number.ts';

const CSV = { delimiter: '|', quote: '"', encoding: 'utf-8' } as const;

export const lt = defineRegister<null>({
  id: 'lt',
  country: 'LT',
  name: 'Register of Legal Entities of Lithuania',
  nativeName: 'Juridinių asmenų registras',
  publisher: 'Registrų centras',
  licence: 'CC BY 4.0',
  attribution: 'Registrų centras, Juridinių asmenų registras, CC BY 4.0',
  sourceUrl: 'https://www.registrucentras.lt/aduomenys/?byla=JAR_IREGISTRUOTI.csv',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    // The server ignores the path: the query names the file.
    files: ['JAR_IREGISTRUOTI.csv', 'JAR_ISREGISTRUOTI.csv'].map((name) => ({
      url: `https://www.registrucentras.lt/aduomenys/?byla=${name}`,
      name,
    })),
    size: { min: 20_000_000, max: 400_000_000 },
    origin: { readIn: 'KristerV/colt, docs/countries/lt.md', ...UNTRIED },
  },
  files: ['JAR_IREGISTRUOTI.csv', 'JAR_ISREGISTRUOTI.csv'],
  minimumRows: 180_000,
  numberColumns: ['ja_kodas'],
  letters: /[ąčęėįšųūž]/iu,
  sources: [
    {
      kind: 'table',
      name: 'JAR_IREGISTRUOTI',
      csv: CSV,
      columns: COLUMNS,
      required: ['ja_kodas', 'ja_pavadinimas', 'stat_kodas'],
      match: 'trimmed',
      map: mapEntity,
    },
    {
      kind: 'table',
      name: 'JuridinisAsmuo (CSV)',
      csv: { ...CSV, delimiter: ',' },
      columns: API_COLUMNS,
      required: ['ja_kodas', 'ja_pavadinimas', 'reg_data'],
      match: 'trimmed',
      map: mapApiRow,
    },
    {
      kind: 'tree',
      name: 'JuridinisAsmuo (JSON)',
      format: { type: 'json' },
      keys: ['_type', '_revision', '_page', ...API_COLUMNS, 'forma', 'statusas'],
      required: ['ja_kodas', 'ja_pavadinimas'],
      map: mapApiRecord,
    },
    {
      kind: 'table',
      name: 'JAR_ISREGISTRUOTI',
      csv: CSV,
      columns: ENDED_COLUMNS,
      required: ['ja_kodas', 'ja_pavadinimas', 'ja_reg_data', 'isreg_data'],
      match: 'trimmed',
      map: mapEnded,
    },
  ],
  checkNumber,
});
