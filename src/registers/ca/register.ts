/** Canada: active and inactive federal corporations, published by Corporations Canada as four files. */
import { defineRegister, refuseTree } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, mapCorporation } from './map.ts';
import { checkNumber, writeNumber } from './number.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;
const FILES = [
  'corporations-active-cbca-en.csv',
  'corporations-active-non-cbca-en.csv',
  'corporations-inactive-or-dissolved-cbca-en.csv',
  'corporations-inactive-or-dissolved-non-cbca-en.csv',
] as const;

export const ca = defineRegister<null>({
  id: 'ca',
  country: 'CA',
  name: 'Corporations Canada, federal corporations',
  nativeName: 'Corporations Canada / Corporations Canada, sociétés de régime fédéral',
  publisher: 'Innovation, Science and Economic Development Canada',
  licence: 'Open Government Licence – Canada',
  attribution: 'Contains information licensed under the Open Government Licence – Canada',
  sourceUrl: 'https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2',
  companyPage: 'https://ised-isde.canada.ca/cc/lgcy/fdrlCrpDtls.html?corpId={digits}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: FILES.map((name) => ({ url: `https://d4bf66bykfyaf.cloudfront.net/${name}` })),
    size: { min: 120_000_000, max: 1_500_000_000 },
    origin: { readIn: 'pulsarpoint/companycollect, companies/analysis/canada', ...UNTRIED },
  },
  files: FILES,
  minimumRows: 500_000,
  numberColumns: ['Corporation number'],
  letters: /[àâæçéèêëîïôœùûüÿ]/iu,
  sources: [
    {
      kind: 'table',
      name: 'corporations',
      csv: CSV,
      columns: COLUMNS,
      required: ['Corporation number', 'Corporate name - form 1', 'Governing legislation', 'Status'],
      match: 'folded',
      map: mapCorporation,
    },
    refuseTree(
      'OPEN_DATA',
      { type: 'xml', element: 'corporation' },
      ['@corporationId'],
      'this is the older XML edition (OPEN_DATA), which is not supported. Import the four CSV files, corporations-active-cbca-en.csv and so on, from https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2',
    ),
  ],
  writeNumber,
  checkNumber,
});
