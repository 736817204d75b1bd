/** Ireland: the company records of the Companies Registration Office, current and dissolved, published daily. */
import { defineRegister } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { AUTHORITY, COLUMNS, chooseRow, mapCompany, SOURCE } from './map.ts';
import { checkNumber, writeNumber } from './number.ts';

export const ie = defineRegister<null>({
  id: 'ie',
  country: 'IE',
  name: 'Companies Registration Office company records',
  nativeName: 'An Oifig um Chlárú Cuideachtaí / Companies Registration Office',
  publisher: AUTHORITY,
  licence: 'CC BY 4.0',
  attribution: 'Contains Irish Public Sector Data (Companies Registration Office), CC BY 4.0',
  sourceUrl: 'https://opendata.cro.ie/',
  updates: 'daily',
  fetch: {
    kind: 'ckan',
    api: 'https://opendata.cro.ie/api/3/action',
    packages: [{ package: 'companies', resources: [{ match: /companies\.csv\.zip$/i }] }],
    size: { min: 20_000_000, max: 300_000_000 },
    origin: { readIn: 'StephenAbbott/opencheck, backend/opencheck/sources/cro.py', ...UNTRIED },
  },
  files: ['companies.csv (in a zip)'],
  minimumRows: 650_000,
  numberColumns: ['company_num'],
  sources: [
    {
      kind: 'table',
      name: SOURCE,
      csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
      columns: COLUMNS,
      required: ['company_num', 'company_name', 'company_status', 'company_type'],
      match: 'trimmed',
      gather: { column: 'company_num', choose: chooseRow },
      map: mapCompany,
    },
  ],
  writeNumber,
  checkNumber,
});
