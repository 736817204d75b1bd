/** Romania: the trade register (ONRC), dated snapshots of several files that are joined by the register number. */
import { type Cell, defineRegister, type TableSource } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { readRecordParty } from '../record-party.ts';
import { type Codes, readCodes } from './codes.ts';
import { mapCompany, mapOldCompany } from './map.ts';
import { checkNumber, isPersonalNumber } from './number.ts';
import { isRowOf2018, TABLES } from './tables.ts';

/** The files do not use quoting: a quote is part of the text, and some names begin with one. */
const CSV = { delimiter: '^', quote: null, encoding: 'utf-8' } as const;
const KEY = 'COD_INMATRICULARE';

/** Some firms of one person have the number of their owner instead of a fiscal code. */
const isOrganisation = (row: Cell) => !isPersonalNumber(row('CUI').trim());

const table = (name: keyof typeof TABLES, required: readonly string[] = TABLES[name]) =>
  ({ kind: 'table', name, csv: CSV, columns: TABLES[name], required, match: 'folded' }) satisfies TableSource<Codes>;

export const ro = defineRegister<Codes>({
  id: 'ro',
  country: 'RO',
  name: 'Trade Register of Romania',
  nativeName: 'Registrul Comerțului',
  publisher: 'Oficiul Național al Registrului Comerțului (ONRC)',
  licence: 'Unknown',
  licenceUnknown: true,
  attribution: 'Oficiul Național al Registrului Comerțului, data.gov.ro',
  sourceUrl: 'https://data.gov.ro/dataset?q=firme',
  updates: 'monthly',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.ro/api/3/action',
    packages: [
      {
        package: { query: 'name:firme-*', name: /^firme-(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/ },
        resources: [
          { match: /(^|\/)od_firme\.csv$/i },
          { match: /(^|\/)od_stare_firma\.csv$/i },
          { match: /(^|\/)od_caen_autorizat\.csv$/i, optional: true },
          { match: /(^|\/)od_reprezentanti_legali\.csv$/i, optional: true },
          { match: /(^|\/)od_sucursale_alte_state_membre\.csv$/i, optional: true },
        ],
      },
      {
        package: {
          query: 'name:nomenclatoare-*',
          name: /^nomenclatoare-(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/,
        },
        resources: [{ match: /(^|\/)n_stare_firma\.csv$/i }, { match: /(^|\/)n_caen\.csv$/i, optional: true }],
      },
    ],
    size: { min: 400_000_000, max: 6_000_000_000 },
    origin: { readIn: 'pulsarpoint/companycollect, companies/analysis/romania, and public importers', ...UNTRIED },
  },
  files: ['OD_FIRME.CSV with OD_STARE_FIRMA.CSV, OD_CAEN_AUTORIZAT.CSV, N_STARE_FIRMA.CSV and N_CAEN.CSV'],
  minimumRows: 3_300_000,
  vatNumber: /^RO(\d{2,10})$/,
  numberColumns: [KEY],
  letters: /[ăâîșşțţ]/iu,
  sources: [
    { ...table('OD_FIRME', ['DENUMIRE', 'CUI', KEY, 'FORMA_JURIDICA']), key: KEY, map: mapCompany, isOrganisation },
    { ...table('OD_STARE_FIRMA'), joins: { column: KEY, required: true } },
    {
      ...table('OD_CAEN_AUTORIZAT', [KEY, 'COD_CAEN_AUTORIZAT']),
      joins: { column: KEY },
      without: 'companies have no activities',
    },
    {
      ...table('OD_REPREZENTANTI_LEGALI', [KEY, 'PERSOANA_IMPUTERNICITA']),
      joins: { column: KEY },
      without: 'companies have no representatives',
    },
    {
      ...table('OD_SUCURSALE_ALTE_STATE_MEMBRE', [KEY, 'DENUMIRE_SUCURSALA']),
      joins: { column: KEY },
      without: 'companies have no branches in other countries',
    },
    {
      ...table('N_STARE_FIRMA'),
      without: 'most status codes have no label, and companies with a rare code may get the status "unknown"',
    },
    { ...table('N_CAEN', ['CLASA', 'DENUMIRE']), without: 'activities have codes, but no labels' },
    { ...table('firme 2018', ['DENUMIRE', 'CUI', 'STARE_FIRMA', 'ADRESA']), map: mapOldCompany, isOrganisation },
    {
      ...table('firme 2015', ['DENUMIRE', 'CUI', 'STARE_FIRMA', 'JUDET']),
      csv: { ...CSV, delimiter: '|' },
      map: mapOldCompany,
      isOrganisation,
    },
    {
      ...table('firme 2018, continued'),
      headerless: { fileName: /./, isRow: isRowOf2018 },
      refusal:
        'this file continues the first file of the snapshot of 2018 and has no header. Append it to the first file and import that, or import OD_FIRME.CSV and OD_STARE_FIRMA.CSV of a newer snapshot',
    },
  ],
  checkNumber,
  // Parties have no numbers, so none is linked.
  recordParties: (party) => readRecordParty(party),
  readCodes,
});
