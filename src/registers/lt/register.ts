/** Lithuania: the Register of Legal Entities (JAR), from the daily CSV or from records of the state's data API. */
import { defineRegister } from '../contract.ts';
import { API_COLUMNS, COLUMNS } from './codes.ts';
import { mapApiRecord, mapApiRow, mapEntity } from './map.ts';
import { generateEntities } from './synthetic.ts';

export const lt = defineRegister<null>({
  id: 'lt',
  country: 'LT',
  name: 'Register of Legal Entities of Lithuania',
  nativeName: 'Juridinių asmenų registras',
  publisher: 'Registrų centras',
  licence: 'CC BY 4.0',
  sourceUrl: 'https://www.registrucentras.lt/aduomenys/?byla=JAR_IREGISTRUOTI.csv',
  updates: 'daily',
  files: ['JAR_IREGISTRUOTI.csv'],
  minimumRows: 180_000,
  sources: [
    {
      kind: 'table',
      name: 'JAR_IREGISTRUOTI',
      csv: { delimiter: '|', quote: '"', encoding: 'utf-8' },
      columns: COLUMNS,
      required: ['ja_kodas', 'ja_pavadinimas', 'stat_kodas'],
      match: 'trimmed',
      map: mapEntity,
    },
    {
      kind: 'table',
      name: 'JuridinisAsmuo (CSV)',
      csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
      columns: API_COLUMNS,
      required: ['ja_kodas', 'ja_pavadinimas', 'reg_data'],
      match: 'trimmed',
      map: mapApiRow,
    },
    {
      kind: 'tree',
      name: 'JuridinisAsmuo (JSON)',
      format: { type: 'json' },
      keys: ['_type', '_id', '_revision', '_page', ...API_COLUMNS, 'forma', 'statusas'],
      required: ['ja_kodas', 'ja_pavadinimas'],
      map: mapApiRecord,
    },
  ],
  readCodes: () => null,
  generate: generateEntities,
});
