/**
 * `node scripts/legal-forms.ts <file>`: writes src/registers/gleif/form-names.tsv from the list of entity legal forms
 * that GLEIF publishes as CSV.
 */
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCsv } from '../src/formats/csv.ts';
import { readList } from '../src/registers/gleif/legal-forms.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Name the CSV file of the list: node scripts/legal-forms.ts <file>');

const rows: (readonly string[])[] = [];
const dialect = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;
for await (const batch of readCsv(createReadStream(path), dialect)) for (const { value } of batch) rows.push(value);
const [header = [], ...list] = rows;
const forms = readList(
  list.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))),
);
const lines = Array.from(forms, ([code, names]) => [code, ...[...names].flat()].join('\t'));
const target = join(import.meta.dirname, '../src/registers/gleif/form-names.tsv');
writeFileSync(target, `${lines.sort().join('\n')}\n`);
console.log(`${lines.length} legal forms`);
