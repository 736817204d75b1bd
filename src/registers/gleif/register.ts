/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { type CodeRow, defineRegister, type TreeSource } from '../contract.ts';
import { COLUMNS, REQUIRED } from './columns.ts';
import { readCsvEntry, readXmlEntry } from './entry.ts';
import { type Codes, mapEntity } from './map.ts';
import { generateRecords } from './synthetic.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

/** XML files exist with and without the namespace prefix. */
const xmlSources = ['lei:', ''].map((prefix): TreeSource<Codes> => {
  const keys = ['LEI', 'Entity', 'Registration', 'Extension'].map((key) => prefix + key);
  return {
    kind: 'tree',
    name: `LEI-CDF (XML${prefix === '' ? ', no prefix' : ''})`,
    format: { type: 'xml', element: 'LEIRecord' },
    required: keys.slice(0, 3),
    keys: [...keys, '@xmlns:xsi', '@xmlns:lei', '@xmlns:gleif', '@xmlns'],
    map: (record, context) => mapEntity(readXmlEntry(record, prefix), context),
  };
});

export const gleif = defineRegister<Codes>({
  id: 'gleif',
  country: null,
  name: 'Global LEI Index',
  nativeName: 'Global LEI Index',
  publisher: 'Global Legal Entity Identifier Foundation (GLEIF)',
  licence: 'not stated in the files we read; see the download page',
  sourceUrl: 'https://www.gleif.org/en/lei-data/gleif-concatenated-file/download-the-concatenated-file',
  updates: 'daily',
  files: ['gleif-goldencopy-lei2-golden-copy.xml.zip', 'gleif-goldencopy-lei2-golden-copy.csv.zip'],
  minimumRows: 2_000_000,
  links: true,
  sources: [
    ...xmlSources,
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
      columns: ['ELF Code', 'Entity Legal Form name Local name'],
      required: ['ELF Code', 'Entity Legal Form name Local name'],
      match: 'trimmed',
    },
  ],
  readCodes: (tables) => new Map((tables.get('ELF codes') ?? []).toReversed().flatMap(readForm)),
  generate: (rows, seed) => ({
    name: 'gleif-goldencopy-lei2-golden-copy.xml.zip',
    packing: 'zip',
    content: {
      type: 'xml',
      encoding: 'utf-8',
      start:
        '<?xml version="1.0" encoding="UTF-8"?>\n<lei:LEIData xmlns:lei="http://www.gleif.org/data/schema/leidata/2016">\n<lei:LEIRecords>\n',
      end: '</lei:LEIRecords>\n</lei:LEIData>\n',
      element: 'lei:LEIRecord',
      values: { [Symbol.iterator]: () => generateRecords(rows, seed) },
    },
  }),
});

/**
 * A form has one row per language. The first one counts: `readCodes` reverses the rows, and later entries of a Map win.
 */
function readForm(row: CodeRow): [string, string][] {
  const [code, name] = [row['ELF Code']?.trim(), row['Entity Legal Form name Local name']?.trim()];
  return code && name ? [[code, name]] : [];
}
