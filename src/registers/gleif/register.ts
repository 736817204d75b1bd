/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { defineRegister, type TreeSource } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { COLUMNS, REQUIRED } from './columns.ts';
import { createTreeReader, readCsvEntry } from './entry.ts';
import { type LegalForms, LIST_COLUMNS, readLegalForms } from './legal-forms.ts';
import { checkNumber } from './lei.ts';
import { LEVEL2_SOURCES } from './level2.ts';
import { mapEntity } from './map.ts';
import { REFUSED_SOURCES } from './refusals.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

const KEYS = ['LEI', 'Entity', 'Registration', 'Extension'];

/** XML files exist with and without the namespace prefix. */
const xmlSources = ['lei:', ''].map((prefix): TreeSource<LegalForms> => {
  const keys = KEYS.map((key) => prefix + key);
  const read = createTreeReader(prefix, '#text');
  return {
    kind: 'tree',
    name: `LEI-CDF (XML${prefix === '' ? ', no prefix' : ''})`,
    format: { type: 'xml', element: 'LEIRecord' },
    required: keys.slice(0, 3),
    keys: [...keys, '@xmlns:xsi', '@xmlns:lei', '@xmlns:gleif', '@xmlns'],
    map: (record, context) => mapEntity(read(record), context),
  };
});

const readJson = createTreeReader('', '$');

const jsonSource: TreeSource<LegalForms> = {
  kind: 'tree',
  name: 'golden copy (JSON)',
  format: { type: 'json' },
  required: KEYS.slice(0, 3),
  keys: KEYS,
  map: (record, context) => mapEntity(readJson(record), context),
};

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
    origin: { readIn: 'public importers of the Golden Copy', ...UNTRIED },
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
    ...xmlSources,
    jsonSource,
    {
      kind: 'table',
      name: 'golden copy (CSV)',
      csv: CSV,
      columns: COLUMNS,
      required: REQUIRED,
      match: 'trimmed',
      map: (cell, context) => mapEntity(readCsvEntry(cell), context),
    },
    {
      kind: 'table',
      name: 'ELF codes',
      csv: CSV,
      columns: LIST_COLUMNS,
      required: ['ELF Code', 'Entity Legal Form name Local name'],
      match: 'trimmed',
    },
    ...LEVEL2_SOURCES,
    ...REFUSED_SOURCES,
  ],
  checkNumber,
  readCodes: (tables) => readLegalForms(tables.get('ELF codes') ?? []),
});
