/**
 * Writes the documents that are generated from the code (`npm run generate:docs`): the README's table of countries, the list of
 * registers, the head of each register's page, the fields of `registry`, legal forms and statuses. A test compares each with its source.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { registers } from '../src/registers/index.ts';
import { replaceCountries } from './countries-table.ts';
import { collectUsage, type FieldUsage } from './field-usage.ts';
import { renderFields } from './fields-page.ts';
import { renderLegalForms } from './legal-forms-page.ts';
import { replaceHead } from './register-head.ts';
import { renderRegisters } from './registers-page.ts';
import { renderStatuses } from './status-page.ts';

const root = new URL('../', import.meta.url);

/** The path of every generated document and its text as it should be. */
export function renderDocuments(usage: FieldUsage): ReadonlyMap<string, string> {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  return new Map([
    ['README.md', replaceCountries(read('README.md'))],
    ...registers.map((register) => {
      const path = `docs/registers/${register.id}.md`;
      return [path, replaceHead(read(path), register)] as const;
    }),
    ['docs/registers/README.md', renderRegisters()],
    ['docs/registers/fields.md', renderFields(usage)],
    ['docs/registers/legal-forms.md', renderLegalForms()],
    ['docs/registers/status.md', renderStatuses()],
  ]);
}

if (import.meta.main) {
  for (const [path, text] of renderDocuments(await collectUsage())) writeFileSync(new URL(path, root), text);
}
