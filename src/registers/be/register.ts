/** Belgium: the Crossroads Bank for Enterprises. Nine tables in one zip are joined by enterprise number. */
import { defineRegister, type Join, type TableSource } from '../contract.ts';
import { type Codes, readCodes } from './codes.ts';
import { mapEnterprise } from './map.ts';
import { checkNumber, writeNumber } from './number.ts';
import { AUTHORITY, TABLES, type TableName } from './tables.ts';

const table = (name: TableName, required: readonly string[] = TABLES[name]) =>
  ({
    kind: 'table',
    name,
    csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
    columns: TABLES[name],
    required,
    match: 'trimmed',
  }) satisfies TableSource<Codes>;

/**
 * A name, address, contact or activity belongs to an enterprise, or to one of its establishments (`2.…`) or branches
 * (`9.…`). The rows of the latter two reach the enterprise through the table that says whose they are.
 */
const OF_ENTITY: Join = {
  column: 'EntityNumber',
  through: [
    { source: 'establishment', column: 'EstablishmentNumber', when: (number) => number.startsWith('2.') },
    { source: 'branch', column: 'Id', when: (number) => number.startsWith('9.') },
  ],
};
const OF_ENTERPRISE: Join = { column: 'EnterpriseNumber' };

export const be = defineRegister<Codes>({
  id: 'be',
  country: 'BE',
  name: 'Crossroads Bank for Enterprises',
  nativeName: 'Kruispuntbank van Ondernemingen / Banque-Carrefour des Entreprises',
  publisher: AUTHORITY,
  licence: 'Reuse licence of the KBO/BCE open data',
  attribution: 'Kruispuntbank van Ondernemingen / Banque-Carrefour des Entreprises, FOD Economie / SPF Économie',
  sourceUrl: 'https://kbopub.economie.fgov.be/kbo-open-data/login',
  companyPage: 'https://kbopub.economie.fgov.be/kbopub/toonondernemingps.html?ondernemingsnummer={digits}',
  updates: 'monthly',
  fetch: {
    kind: 'manual',
    steps: [
      'Open https://kbopub.economie.fgov.be/kbo-open-data/login, create a free account and accept the licence.',
      'Download the newest KboOpenData_…_Full.zip.',
      'Import it with "firmament import be <file>".',
    ],
  },
  legends: { group: 'activityGroups', classification: 'classifications' },
  files: ['KboOpenData_NNNN_YYYY_MM_Full.zip'],
  minimumRows: 1_000_000,
  vatNumber: /^BE(\d{10})$/,
  numberColumns: ['EnterpriseNumber'],
  letters: /[àâäçéèêëîïôöùûüß]/iu,
  sources: [
    // Older extracts have no JuridicalFormCAC, so it is not required.
    {
      ...table('enterprise', ['EnterpriseNumber', 'Status', 'JuridicalSituation', 'JuridicalForm']),
      key: 'EnterpriseNumber',
      map: mapEnterprise,
    },
    { ...table('denomination'), joins: { ...OF_ENTITY, required: true } },
    { ...table('address', ['EntityNumber', 'TypeOfAddress', 'Zipcode']), joins: OF_ENTITY },
    { ...table('contact'), joins: OF_ENTITY },
    { ...table('activity'), joins: OF_ENTITY },
    { ...table('establishment'), joins: OF_ENTERPRISE },
    { ...table('branch'), joins: OF_ENTERPRISE },
    table('code'),
    table('meta'),
  ],
  writeNumber,
  checkNumber,
  readCodes,
  asOf: ({ snapshotDay }) => snapshotDay,
  refuse: ({ extractType }) =>
    extractType === 'update'
      ? 'This is an update extract, which holds changes only. Import the newest full extract (KboOpenData_…_Full.zip) instead.'
      : null,
});
