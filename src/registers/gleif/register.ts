/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { CSV, defineRegister, type MapContext } from '../contract.ts';
import type { Tree } from '../parsing.ts';
import { createTreeReader, describeXml, type Entry, readCsvEntry } from './entry.ts';
import { type LegalForms, LIST_COLUMNS, readLegalForms } from './legal-forms.ts';
import { LEVEL2_SOURCES } from './level2.ts';
import { isValidLei, mapEntity } from './map.ts';

type Context = MapContext<LegalForms>;

const KEYS = ['LEI', 'Entity', 'Registration', 'Extension'];
const mapTrees = (read: (record: Tree) => Entry) => ({
  map: (record: Tree, context: Context) => mapEntity(read(record), context),
});

function locate(file: string): readonly (string | number)[] {
  return ['data', 0, file, 'full_file', 'csv', 'url'];
}

export const gleif = defineRegister<LegalForms>({
  id: 'gleif',
  country: null,
  name: 'Global LEI Index',
  nativeName: 'Global LEI Index',
  publisher: 'Global Legal Entity Identifier Foundation (GLEIF)',
  licence: 'CC0 1.0 (public domain)',
  attribution: 'CC0 1.0: none is required',
  sourceUrl: 'https://www.gleif.org/en/lei-data/gleif-concatenated-file/download-the-concatenated-file',
  companyPage: 'https://search.gleif.org/#/record/{number}',
  updates: 'daily',
  fetch: {
    kind: 'api',
    // The list of publications, newest first.
    requests: [{ url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes' }],
    paths: [
      { keys: locate('lei2') },
      { keys: locate('rr'), parties: 'relationships' },
      { keys: locate('repex'), parties: 'exceptions' },
    ],
    size: { min: 200_000_000, max: 3_000_000_000 },
    readIn: 'public importers of the Golden Copy',
  },
  files: [
    'gleif-goldencopy-lei2-golden-copy.xml.zip',
    'gleif-goldencopy-lei2-golden-copy.csv.zip',
    'gleif-goldencopy-lei2-golden-copy.json.zip',
    'gleif-goldencopy-rr-golden-copy.csv.zip',
    'gleif-goldencopy-repex-golden-copy.csv.zip',
  ],
  minimumRows: 2_000_000,
  links: true,
  numberColumns: ['LEI', 'lei:LEI'],
  letters: /\p{L}/u,
  sources: [
    ...describeXml('LEI-CDF', 'LEIRecord', 'lei:', KEYS, 3, mapTrees),
    {
      name: 'golden copy (JSON)',
      format: { type: 'json' },
      required: KEYS.slice(0, 3),
      ...mapTrees(createTreeReader('', '$')),
    },
    {
      name: 'golden copy (CSV)',
      csv: CSV,
      required: ['LEI', 'Entity.LegalName', 'Entity.LegalJurisdiction', 'Entity.EntityStatus'],
      map: (cell, context) => mapEntity(readCsvEntry(cell), context),
    },
    {
      name: 'ELF codes',
      csv: CSV,
      columns: LIST_COLUMNS,
      required: ['ELF Code', 'Entity Legal Form name Local name'],
    },
    ...LEVEL2_SOURCES,
    {
      name: 'API (JSON)',
      format: { type: 'json' },
      required: ['attributes'],
      refusal:
        'this is an answer of the GLEIF API, not a complete file. Import the Level 1 file (LEI2), which has the entities',
    },
  ],
  numbers: [{ kind: 'LEI', form: /^[0-9A-Z]{18}\d{2}$/, check: isValidLei }],
  readCodes: (tables) => readLegalForms(tables.get('ELF codes') ?? []),
});
