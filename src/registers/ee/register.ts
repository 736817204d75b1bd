/** Estonia: the e-Business Register, as the daily simple-data CSV or as the more detailed general-data JSON. */
import { defineRegister, refuseTree } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, readCsvCompany, readJsonCompany } from './company.ts';
import { mapCompany } from './map.ts';
import { checkNumber } from './number.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

/** Files with the same companies but other details, by the key of these details. */
const OTHER_FILES: readonly (readonly [key: string, what: string])[] = [
  ['kaardile_kantud_isikud', 'persons on the registry card'],
  ['kandevalised_isikud', 'persons outside the registry card'],
  ['kasusaajad', 'beneficial owners'],
  ['osanikud', 'shareholders'],
  ['registrikaardid', 'registry cards'],
];

function refuseFile([key, what]: readonly [key: string, what: string]) {
  return refuseTree(
    `${key} (JSON)`,
    { type: 'json' },
    ['ariregistri_kood', key],
    `this is the file of ${what}, which is not supported. Import ettevotja_rekvisiidid__lihtandmed.csv.zip or ettevotja_rekvisiidid__yldandmed.json.zip`,
  );
}

export const ee = defineRegister<null>({
  id: 'ee',
  country: 'EE',
  name: 'e-Business Register',
  nativeName: 'e-Äriregister',
  publisher: 'Registrite ja Infosüsteemide Keskus (RIK)',
  licence: 'CC BY 4.0',
  attribution: 'Registrite ja Infosüsteemide Keskus, e-Äriregister, CC BY 4.0',
  sourceUrl: 'https://avaandmed.ariregister.rik.ee/en/downloading-open-data',
  companyPage: 'https://ariregister.rik.ee/eng/company/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    // The general data (JSON) has more fields but no VAT numbers, and is twelve times larger.
    files: [
      {
        url: 'https://avaandmed.ariregister.rik.ee/sites/default/files/avaandmed/ettevotja_rekvisiidid__lihtandmed.csv.zip',
      },
    ],
    size: { min: 9_000_000, max: 100_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/ee/ariregister', ...UNTRIED },
  },
  files: ['ettevotja_rekvisiidid__lihtandmed.csv.zip', 'ettevotja_rekvisiidid__yldandmed.json.zip'],
  minimumRows: 300_000,
  sources: [
    {
      kind: 'table',
      name: 'lihtandmed (CSV)',
      csv: CSV,
      columns: COLUMNS,
      required: ['nimi', 'ariregistri_kood', 'ettevotja_staatus'],
      match: 'trimmed',
      map: (cell, context) => mapCompany(readCsvCompany(cell), context),
    },
    {
      kind: 'tree',
      name: 'yldandmed (JSON)',
      format: { type: 'json' },
      required: ['ariregistri_kood', 'nimi', 'yldandmed'],
      keys: ['ariregistri_kood', 'nimi', 'yldandmed'],
      map: (record, context) => mapCompany(readJsonCompany(record), context),
    },
    ...OTHER_FILES.map(refuseFile),
  ],
  checkNumber,
});
