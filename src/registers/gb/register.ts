/**
 * United Kingdom: the "Free Company Data Product" of Companies House, a monthly CSV of all live companies, and the snapshot of persons
 * with significant control (`psc.ts`).
 */
import { defineRegister } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS } from './columns.ts';
import { AUTHORITY, mapCompany } from './map.ts';
import { checkNumber, writeNumber } from './number.ts';
import { pscSource } from './psc.ts';

export const gb = defineRegister<null>({
  id: 'gb',
  country: 'GB',
  name: 'Companies House basic company data',
  nativeName: 'Companies House',
  publisher: AUTHORITY,
  licence: 'Unknown',
  licenceUnknown: true,
  attribution: 'Companies House, Free Company Data Product',
  sourceUrl: 'https://download.companieshouse.gov.uk/en_output.html',
  companyPage: 'https://find-and-update.company-information.service.gov.uk/company/{number}',
  updates: 'monthly',
  fetch: {
    kind: 'page',
    pages: [
      {
        page: 'https://download.companieshouse.gov.uk/en_output.html',
        link: /\/BasicCompanyDataAsOneFile-(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})\.zip$/,
      },
      {
        page: 'https://download.companieshouse.gov.uk/en_pscdata.html',
        link: /\/psc-snapshot-(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})_(?<part>\d{1,3})of(?<of>\d{1,3})\.zip$/,
        parties: 'psc',
      },
    ],
    size: { min: 1_200_000_000, max: 12_000_000_000, minWithoutParties: 250_000_000 },
    origin: { readIn: 'public importers of the download page', ...UNTRIED },
  },
  files: [
    'BasicCompanyDataAsOneFile-YYYY-MM-01.zip',
    'BasicCompanyData-YYYY-MM-01-partN_7.zip',
    'psc-snapshot-YYYY-MM-DD_NofM.zip',
    'persons-with-significant-control-snapshot-YYYY-MM-DD.zip',
  ],
  minimumRows: 4_550_000,
  numberColumns: ['CompanyNumber'],
  sources: [
    {
      kind: 'table',
      name: 'companies',
      csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
      columns: COLUMNS,
      required: ['CompanyName', 'CompanyNumber', 'CompanyCategory', 'CompanyStatus', 'IncorporationDate'],
      match: 'trimmed',
      map: mapCompany,
    },
    pscSource,
  ],
  writeNumber,
  checkNumber,
});
