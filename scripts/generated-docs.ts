/**
 * Writes the documents that are generated from the code (`npm run generate:docs`): the README's table of countries, the list of registers, the page of
 * each register, the fields of `registry`, legal forms and statuses. A test compares each with its source.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { registers } from '../src/registers/index.ts';
import { replaceCountries } from './countries-table.ts';
import { collectUsage, type FieldUsage } from './field-usage.ts';
import { renderFields } from './fields-page.ts';
import { renderLegalForms } from './legal-forms-page.ts';
import { type RegisterPage, renderPage } from './register-page.ts';
import { renderRegisters } from './registers-page.ts';
import { renderStatuses } from './status-page.ts';

const root = new URL('../', import.meta.url);

/** The paths of the documents that follow from tables and manifests, and their texts as they should be. */
export function renderLists(usage: FieldUsage): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', replaceCountries(readFileSync(new URL('README.md', root), 'utf8'))],
    ['docs/registers/README.md', renderRegisters()],
    ['docs/registers/fields.md', renderFields(usage)],
    ['docs/registers/legal-forms.md', renderLegalForms()],
  ]);
}

/** The same for the page of each register and the page of statuses, which follow from experiments with the mappings: half a minute of work. */
export async function renderPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, RegisterPage>();
  for (const register of registers) pages.set(register.id, await renderPage(register));
  return new Map([
    ...Array.from(pages, ([id, { text }]) => [`docs/registers/${id}.md`, text] as const),
    ['docs/registers/status.md', renderStatuses(pages)],
  ]);
}

if (import.meta.main) {
  for (const [path, text] of [...renderLists(await collectUsage()), ...(await renderPages())])
    writeFileSync(new URL(path, root), text);
}
