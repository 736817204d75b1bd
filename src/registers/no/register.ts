/** Norway: the Central Coordinating Register for Legal Entities, published nightly as CSV and as JSON. */
import { defineRegister } from '../contract.ts';
import { COLUMNS, KEYS } from './columns.ts';
import { mapEntity } from './map.ts';
import { readTableRow, readTreeRow } from './row.ts';
import { generateEntities } from './synthetic.ts';

export const no = defineRegister<null>({
  id: 'no',
  country: 'NO',
  name: 'Central Coordinating Register for Legal Entities',
  nativeName: 'Enhetsregisteret',
  publisher: 'Brønnøysundregistrene',
  licence: 'Norwegian Licence for Open Government Data (NLOD)',
  sourceUrl: 'https://data.brreg.no/enhetsregisteret/api/enheter/lastned',
  updates: 'daily',
  files: ['enheter_alle.json.gz', 'enheter_alle.csv.gz'],
  minimumRows: 930_000,
  sources: [
    {
      kind: 'table',
      name: 'enheter (CSV)',
      csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
      columns: COLUMNS,
      // `konkurs` distinguishes this file from the file of sub-units (underenheter), which has all other required
      // columns.
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
  ],
  readCodes: () => null,
  generate: (rows, seed) => ({
    name: 'enheter_alle.json.gz',
    packing: 'gzip',
    content: { type: 'json', layout: 'array', values: generateEntities(rows, seed) },
  }),
});
