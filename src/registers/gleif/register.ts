/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { defineRegister, type MapContext } from '../contract.ts';
import type { Tree } from '../parsing.ts';
import { createTreeReader, readCsvEntry } from './entry.ts';
import { type LegalForms, readLegalForms } from './legal-forms.ts';
import { LEVEL2_TABLES, LEVEL2_TREES } from './level2.ts';
import { isValidLei, mapEntity } from './map.ts';

type Context = MapContext<LegalForms>;

const mapTrees = (...style: Parameters<typeof createTreeReader>) => {
  const read = createTreeReader(...style);
  return { map: (record: Tree, context: Context) => mapEntity(read(record), context) };
};

export const gleif = defineRegister<LegalForms>({
  id: 'gleif',
  tables: {
    'golden copy (CSV)': { map: (cell, context) => mapEntity(readCsvEntry(cell), context) },
    ...LEVEL2_TABLES,
  },
  trees: {
    'LEI-CDF (XML)': mapTrees('lei:', '#text'),
    'LEI-CDF (XML, no prefix)': mapTrees('', '#text'),
    'golden copy (JSON)': mapTrees('', '$'),
    ...LEVEL2_TREES,
  },
  numbers: [{ kind: 'LEI', form: /^[0-9A-Z]{18}\d{2}$/, check: isValidLei }],
  readCodes: (tables) => readLegalForms(tables.get('ELF codes') ?? []),
});
