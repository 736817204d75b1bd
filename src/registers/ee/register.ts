/** Estonia: the e-Business Register, as the daily simple-data CSV or as the more detailed general-data JSON. */
import { defineRegister, refuseTree } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, readCsvCompany, readJsonCompany } from './company.ts';
import { mapCompany } from './map.ts';
import { checkNumber } from './number.ts';
import { PARTY_SOURCES } from './parties.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

const COMPANIES =
  'Import ettevotja_rekvisiidid__lihtandmed.csv.zip or ettevotja_rekvisiidid__yldandmed.json.zip for companies';
const PARTIES = 'ettevotja_rekvisiidid__kaardile_kantud_isikud.json.zip and ettevotja_rekvisiidid__osanikud.json.zip';

/** Files with the same companies but other details, by the key of these details. */
const REFUSED_FILES: readonly (readonly [key: string, why: string])[] = [
  [
    'kasusaajad',
    `this file lists beneficial owners, which the publisher has closed: they are never imported. Import ${PARTIES} for officers and shareholders`,
  ],
  ['registrikaardid', `this is the file of registry cards, which is not supported. ${COMPANIES}`],
];

function refuseFile([key, why]: readonly [key: string, why: string]) {
  return refuseTree(`${key} (JSON)`, { type: 'json' }, ['ariregistri_kood', key], why);
}

/** Companies, then parties. */
const FETCHED_FILES = [
  { file: 'lihtandmed.csv' },
  { file: 'kaardile_kantud_isikud.json', parties: 'officers' },
  { file: 'kandevalised_isikud.json', parties: 'off_card' },
  { file: 'osanikud.json', parties: 'shareholders' },
].map(({ file, ...others }) => ({ name: `ettevotja_rekvisiidid__${file}.zip`, ...others }));

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
    files: FETCHED_FILES.map((file) => ({
      url: `https://avaandmed.ariregister.rik.ee/sites/default/files/avaandmed/${file.name}`,
      ...file,
    })),
    size: { min: 40_000_000, max: 400_000_000, minWithoutParties: 9_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/ee/ariregister', ...UNTRIED },
  },
  files: [...FETCHED_FILES.map(({ name }) => name), 'ettevotja_rekvisiidid__yldandmed.json.zip'],
  minimumRows: 300_000,
  numberColumns: ['ariregistri_kood'],
  letters: /[äõöüšž]/iu,
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
    ...PARTY_SOURCES,
    ...REFUSED_FILES.map(refuseFile),
  ],
  checkNumber,
});
