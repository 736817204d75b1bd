/** The code tables of the extract. */
import { fold } from '../../base/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { readDate } from '../parsing.ts';

interface CodeText {
  /** The text in Dutch, or else in French or German. */
  readonly label: string;
  /** The texts in the languages that `label` is not in. */
  readonly otherLabels: readonly string[];
  /** All texts, by language (ISO 639-1). */
  readonly labels: { readonly [language: string]: string };
}

export interface Codes {
  /** The texts of a category by code; empty if the table lacks the category. */
  texts(category: string): ReadonlyMap<string, CodeText>;
  /** The status of an active enterprise by its juridical situation; undefined for a situation that is not known. */
  readonly situations: ReadonlyMap<string, EntityStatus>;
  /** `full` or `update`, in lower case; empty without `meta.csv`. */
  readonly extractType: string;
  /** The day of the extract; null without `meta.csv`. */
  readonly snapshotDay: string | null;
}

const lists = readCodeLists('be');
const KNOWN_SITUATIONS = lists.meanings<EntityStatus>('situation');
const findSituation = lists.patterns<EntityStatus>('situation text');
/** In order of preference. */
const LANGUAGES = ['NL', 'FR', 'DE'];
const NO_TEXTS: ReadonlyMap<string, CodeText> = new Map();

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const rows = (tables.get('code') ?? []).filter(({ Description = '' }) => Description.trim() !== '');
  const categories = new Map(
    Array.from(groupBy(rows, 'Category'), ([category, codes]) => [
      category,
      new Map(Array.from(groupBy(codes, 'Code'), ([code, texts]) => [code, describeTexts(texts)])),
    ]),
  );
  const situations = Array.from(categories.get('JuridicalSituation') ?? [], ([code, { label, otherLabels }]) => {
    const status = findSituation(fold([label, ...otherLabels].join(' ')));
    return status === undefined ? [] : [[code, status] as const];
  });
  const meta = new Map((tables.get('meta') ?? []).map((row) => [row.Variable?.trim(), (row.Value ?? '').trim()]));
  return {
    texts: (category) => categories.get(category) ?? NO_TEXTS,
    situations: new Map([...situations.flat(), ...KNOWN_SITUATIONS]),
    extractType: (meta.get('ExtractType') ?? '').toLowerCase(),
    snapshotDay: readDate(meta.get('SnapshotDate') ?? ''),
  };
}

function groupBy(rows: readonly CodeRow[], column: string) {
  return Map.groupBy(rows, (row) => (row[column] ?? '').trim());
}

/** A text in another language is better than none. */
function describeTexts(rows: readonly CodeRow[]): CodeText {
  const texts = new Map(rows.map(({ Language = '', Description = '' }) => [Language.trim(), Description.trim()]));
  const languages = LANGUAGES.filter((language) => texts.has(language));
  const label = texts.get(languages[0] ?? '') ?? [...texts.values()][0] ?? '';
  return {
    label,
    otherLabels: [...new Set(texts.values())].filter((text) => text !== label),
    labels: Object.fromEntries(languages.map((language) => [language.toLowerCase(), texts.get(language) ?? ''])),
  };
}
