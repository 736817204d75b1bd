/** Australia: the company dataset of ASIC. It has one line per name; the lines of a company are grouped by ACN. */
import { defineRegister, refuseTree } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS } from './codes.ts';
import { chooseLine, mapCompany, TABLE } from './map.ts';
import { checkNumber } from './numbers.ts';

/** Tab-separated and never quoted: a name may start with a quote character, which is part of it. */
const CSV = { delimiter: '\t', quote: null, encoding: 'utf-8' } as const;

export const au = defineRegister<null>({
  id: 'au',
  country: 'AU',
  name: 'ASIC Company Dataset',
  nativeName: 'ASIC Company Dataset',
  publisher: 'Australian Securities and Investments Commission',
  licence: 'CC BY 3.0 AU',
  attribution: 'Australian Securities and Investments Commission, Company Dataset, CC BY 3.0 AU',
  sourceUrl: 'https://data.gov.au/data/dataset/7b8656f9-606d-4337-af29-66b89b2eeefb',
  updates: 'weekly',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.au/data/api/3/action',
    packages: [
      {
        package: '7b8656f9-606d-4337-af29-66b89b2eeefb',
        resources: [{ match: /\/company_(?<year>\d{4})(?<month>\d{2})\.csv$/i }],
      },
    ],
    size: { min: 200_000_000, max: 3_000_000_000 },
    origin: { readIn: 'public importers of the data set', ...UNTRIED },
  },
  files: ['COMPANY_YYYYMM.csv'],
  minimumRows: 2_000_000,
  numberColumns: ['ACN'],
  sources: [
    {
      kind: 'table',
      name: TABLE,
      csv: CSV,
      columns: COLUMNS,
      required: ['Company Name', 'ACN', 'Status', 'Current Name Indicator'],
      match: 'folded',
      gather: { column: 'ACN', choose: chooseLine },
      map: mapCompany,
    },
    refuseTree(
      'ABN Bulk Extract',
      { type: 'xml', element: 'ABR' },
      ['ABN'],
      'this is the ABN Bulk Extract of the Australian Business Register, which is not supported. Import COMPANY_YYYYMM.csv of the ASIC company dataset',
    ),
  ],
  // Other registers may write the ABN: two check digits, then the ACN.
  writeNumber: (number) => number.slice(-9).padStart(9, '0'),
  checkNumber,
});
