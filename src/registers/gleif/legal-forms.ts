/**
 * The names of legal forms by their code in the list of entity legal forms (ELF, ISO 20275), which GLEIF maintains.
 * `form-names.tsv` holds the names of version 1.4.1, so that an import needs no other file; codes of a list that is
 * given to an import replace them. GLEIF publishes its data under CC0 1.0.
 */
import type { CodeRow } from '../contract.ts';
import { readRows } from '../data-files.ts';
import type { LegalFormOf } from '../vocabulary.ts';

export type LegalForms = ReadonlyMap<string, LegalFormOf>;

export const SCHEME = 'ISO 20275';

/** The columns of the published list that are read. */
const LIST_COLUMNS = [
  'ELF Code',
  'Country Code (ISO 3166-1)',
  'Entity Legal Form name Local name',
  'Language Code (ISO 639-1)',
] as const;

/** Names by language. */
type Names = ReadonlyMap<string, string>;

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
    const [code, country, name, language] = LIST_COLUMNS.map((column) => (row[column] ?? '').trim());
    const text = shorten((name ?? '').replace(/\s+/g, ' ').trim());
    if (!code || text === '') continue;
    const key = LANGUAGES[language ?? ''] ?? language ?? '';
    const names = forms.get(code) ?? new Map<string, string>();
    if (names.has(key)) continue;
    const isFirst = country !== undefined && MAIN_LANGUAGES[country] === key;
    forms.set(code, isFirst ? new Map([[key, text], ...names]) : names.set(key, text));
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
