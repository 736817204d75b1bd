/** Norway: the Central Coordinating Register for Legal Entities, published nightly as CSV and as JSON. */
import { defineRegister, refuseTable, refuseTree } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, KEYS } from './columns.ts';
import { mapEntity } from './map.ts';
import { checkNumber } from './number.ts';
import { ROLE_SOURCE } from './roles.ts';
import { readTableRow, readTreeRow } from './row.ts';

const DOWNLOAD = 'https://data.brreg.no/enhetsregisteret/api/enheter/lastned';
const IMPORT_UNITS = `Import enheter_alle.json.gz from ${DOWNLOAD} or the CSV from ${DOWNLOAD}/csv`;
const SUB_UNITS = `this file lists sub-units (underenheter), which are places of business. ${IMPORT_UNITS}`;
const ROLES = 'https://data.brreg.no/enhetsregisteret/api/roller/totalbestand';
const ROLES_OF_ONE = `this file lists the roles (roller) of one company and does not say which. Import all roles from ${ROLES}`;
const SEARCH_RESULTS = `this file is one page of search results of the API, not the register. ${IMPORT_UNITS}`;

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export const no = defineRegister<null>({
  id: 'no',
  country: 'NO',
  name: 'Central Coordinating Register for Legal Entities',
  nativeName: 'Enhetsregisteret',
  publisher: 'Brønnøysundregistrene',
  licence: 'Norwegian Licence for Open Government Data (NLOD)',
  attribution: 'Brønnøysundregistrene, Enhetsregisteret, NLOD',
  sourceUrl: DOWNLOAD,
  companyPage: 'https://virksomhet.brreg.no/nb/oppslag/enheter/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: [
      { url: DOWNLOAD, name: 'enheter_alle.json.gz' },
      { url: ROLES, name: 'roller_totalbestand.json.gz', parties: 'roles' },
    ],
    size: { min: 180_000_000, max: 1_500_000_000, minWithoutParties: 90_000_000 },
    origin: { readIn: 'KristerV/colt, docs/countries/no.md, and sondreskarsten/tidybrreg', ...UNTRIED },
  },
  files: ['enheter_alle.json.gz', 'enheter_alle.csv.gz', 'roller_totalbestand.json.gz'],
  minimumRows: 930_000,
  vatNumber: /^NO(\d{9})(?:MVA)?$/,
  numberColumns: ['organisasjonsnummer'],
  letters: /[åæøäéòóôöü]/iu,
  sources: [
    {
      kind: 'table',
      name: 'enheter (CSV)',
      csv: CSV,
      columns: COLUMNS,
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform.kode', 'konkurs'],
      match: 'folded',
      map: (cell, context) => mapEntity(readTableRow(cell, context)),
    },
    {
      kind: 'tree',
      name: 'enheter (JSON)',
      format: { type: 'json' },
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform', 'konkurs'],
      keys: KEYS,
      map: (record, context) => mapEntity(readTreeRow(record, context)),
    },
    {
      // The API answers with few fields for an entity that was deleted.
      kind: 'tree',
      name: 'deleted enheter (JSON)',
      format: { type: 'json' },
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform', 'slettedato'],
      keys: KEYS,
      map: (record, context) => mapEntity(readTreeRow(record, context)),
    },
    refuseTable(
      'underenheter (CSV)',
      CSV,
      ['organisasjonsnummer', 'overordnetEnhet', 'beliggenhetsadresse.adresse'],
      SUB_UNITS,
    ),
    // Entities may have a parent too, but they also have `konkurs` and match `enheter (JSON)` first.
    refuseTree('underenheter (JSON)', { type: 'json' }, ['organisasjonsnummer', 'overordnetEnhet'], SUB_UNITS),
    ROLE_SOURCE,
    refuseTree('roles of one company', { type: 'json' }, ['rollegrupper'], ROLES_OF_ONE),
    refuseTree('answer of the API', { type: 'json' }, ['_embedded'], SEARCH_RESULTS),
  ],
  checkNumber,
});
