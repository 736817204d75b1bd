/**
 * The names of legal forms by their code in the list of entity legal forms (ELF, ISO 20275), which GLEIF maintains.
 * `form-names.tsv` holds the names of version 1.4.1, so that an import needs no other file; codes of a list that is
 * given to an import replace them. GLEIF publishes its data under CC0 1.0.
 */
import type { CodeRow } from '../contract.ts';
import { readRows } from '../data-files.ts';
import type { LegalFormOf } from '../vocabulary.ts';

export type LegalForms = ReadonlyMap<string, LegalFormOf>;
/** Names by language. */
type Names = ReadonlyMap<string, string>;

export const SCHEME = 'ISO 20275';

/** A line has a code, followed by a language and a name for each language. The first name is the label. */
function readShipped(): [code: string, names: Names][] {
  return readRows('gleif/form-names.tsv').map(([code = '', ...cells]) => {
    const languages = cells.filter((_, at) => at % 2 === 0);
    return [code, new Map(languages.map((language, at) => [language, cells[2 * at + 1] ?? '']))];
  });
}

export function readLegalForms(list: readonly CodeRow[]): LegalForms {
  return new Map([...readShipped(), ...readList(list)].map(([code, names]) => [code, nameForm(code, names)]));
}

function nameForm(code: string, names: Names): LegalFormOf {
  const [label = code] = names.values();
  const form = { code, label, scheme: SCHEME };
  return names.size === 1 ? form : { ...form, labels: Object.fromEntries(names) };
}

/** The published list has one row per code and language. */
export function readList(rows: readonly CodeRow[]): Map<string, Names> {
  const forms = new Map<string, Map<string, string>>();
  for (const row of rows) {
    const read = (column: string) => (row[column] ?? '').trim();
    const [code, written] = [read('ELF Code'), read('Language Code (ISO 639-1)')];
    const text = shorten(read('Entity Legal Form name Local name').replace(/\s+/g, ' '));
    if (code === '' || text === '') continue;
    const language = LANGUAGES[written] ?? written;
    const names = forms.get(code) ?? new Map<string, string>();
    if (names.has(language)) continue;
    const isFirst = MAIN_LANGUAGES[read('Country Code (ISO 3166-1)')] === language;
    forms.set(code, isFirst ? new Map([[language, text], ...names]) : names.set(language, text));
  }
  return forms;
}

/** The language codes of the list that differ from ISO 639-1. */
const LANGUAGES: Readonly<Record<string, string>> = { kr: 'ko', si: 'sl' };

/** Countries for which the list begins with English, which is not a language of the country. */
const MAIN_LANGUAGES: Readonly<Record<string, string>> = { CH: 'de', KH: 'km' };

/** Two forms of Quebec are named by the list of their statutes, with up to 2,255 characters. */
const MAX_LENGTH = 240;

function shorten(name: string): string {
  return name.length <= MAX_LENGTH ? name : `${name.slice(0, name.lastIndexOf(' ', MAX_LENGTH))} …`;
}
