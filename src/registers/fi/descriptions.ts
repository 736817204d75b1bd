/** Codes come with descriptions in Finnish, Swedish and English. Past entries of a list have an `endDate`. */
import type { MapContext } from '../contract.ts';
import { compact, readDayOf, readText, type Tree, textOf, treesOf } from '../parsing.ts';

export const LANGUAGES = { fi: '1', sv: '2', en: '3' };

export function isCurrent(entry: Tree): boolean {
  return textOf(entry, 'endDate') === '';
}

export function describe(entry: Tree, language: keyof typeof LANGUAGES): string | null {
  const code = LANGUAGES[language];
  const found = treesOf(entry, 'descriptions').find((description) => textOf(description, 'languageCode') === code);
  return readText(textOf(found ?? {}, 'description'));
}

export function describeAll(entry: Tree): { readonly [language: string]: string } {
  const found: { [language: string]: string } = {};
  for (const description of treesOf(entry, 'descriptions')) {
    const text = textOf(description, 'description');
    const code = textOf(description, 'languageCode');
    if (text === '') continue;
    if (code === LANGUAGES.fi) found.fi ??= text;
    else if (code === LANGUAGES.sv) found.sv ??= text;
    else if (code === LANGUAGES.en) found.en ??= text;
  }
  return found;
}

/** A coded entry with its descriptions and days: a situation, a legal form, an entry in a register. */
export function readEntry(entry: Tree, context: MapContext<null>) {
  return compact({
    code: textOf(entry, 'type'),
    label: describe(entry, 'fi'),
    labels: describeAll(entry),
    from: readDayOf(entry, 'registrationDate', context),
    until: readDayOf(entry, 'endDate', context),
  });
}
