/** Finds out, by experiment, which texts of a register's columns mean which status of a company, or which role of a party. */
import { existsSync, readFileSync } from 'node:fs';
import { fold } from '../src/base/fold.ts';
import type { Source } from '../src/registers/contract.ts';
import { chooseExamples, listCells, listLeaves, listValues, type Origins } from './field-origins.ts';
import type { Example } from './register-examples.ts';

/** The texts of one column that mean the same. */
export interface Meaning {
  readonly meaning: string;
  /** Null: no column decides. */
  readonly column: string | null;
  readonly texts: readonly string[];
}

const OTHER = 'xyz';
const MAX_LABEL = 48;
/** A column with more texts than this has free text. */
const MAX_TEXTS = 120;

/** The code lists of a register: the text of each code, which may be empty. */
export type Codes = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function loadCodes(register: string): Codes {
  const path = new URL(`../src/registers/${register}/codes.tsv`, import.meta.url);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const rows = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  // Patterns are not texts.
  const isPattern = (code = '') => /[\\^]/.test(code);
  const lists = Map.groupBy(
    rows.filter(([, code]) => !isPattern(code)),
    ([list = '']) => list,
  );
  return new Map(
    Array.from(lists, ([list, codes]) => [
      list,
      new Map(codes.flatMap(([, code = '', , text = '']) => code.split('|').map((one) => [one, text] as const))),
    ]),
  );
}

export function findMeanings(
  source: Source<unknown>,
  examples: readonly Example[],
  field: string,
  origins: Origins,
  codes: Codes,
): readonly Meaning[] {
  const origin = origins.get(field);
  if (origin === undefined) return [];
  if (origin.always !== undefined) return [{ meaning: origin.always, column: null, texts: [] }];
  const read = (example: Example) => listLeaves(example.map(example.row));
  const known = listValues(source, examples);
  const columns = new Map<string, Map<string, string[]>>();
  for (const example of chooseExamples(source, examples, read)) {
    for (const cell of listCells(source, example.row)) {
      if (!origin.from.includes(cell.column) && !origin.by.includes(cell.column)) continue;
      const texts = [...new Set(['', OTHER, ...listTexts(known.get(cell.column) ?? new Set(), codes)])];
      const found = texts.map((text) => [text, cell.change(text, () => read(example).get(field)?.[0])] as const);
      if (new Set(found.map(([, meaning]) => meaning)).size < 2) continue;
      const tally = columns.getOrInsertComputed(cell.column, () => new Map());
      for (const [text, meaning] of found)
        if (meaning !== undefined) tally.getOrInsertComputed(text, () => []).push(meaning);
    }
  }
  const tables = Array.from(columns, ([column, tally]) => {
    const usual = new Map(Array.from(tally, ([text, meanings]) => [text, findUsual(meanings)]));
    return { column, usual, count: new Set(usual.values()).size };
  });
  const [main, ...others] = tables.sort((one, other) => other.count - one.count);
  const names = [...origins].filter(([path]) => /^canonicalName$|\.name$/.test(path)).flatMap(([, { from }]) => from);
  const isName = (column: string) => names.includes(column);
  return main === undefined
    ? []
    : [
        ...describeColumn(main, isName(main.column), codes, others.length === 0 ? 'only' : 'main'),
        ...others.flatMap((table) => describeColumn(table, isName(table.column), codes, 'other')),
      ];
}

/** If several columns decide, only the texts that make a difference are described, and the rest as "otherwise". */
function describeColumn(
  { column, usual }: { readonly column: string; readonly usual: ReadonlyMap<string, string> },
  isName: boolean,
  codes: Codes,
  place: 'only' | 'main' | 'other',
): readonly Meaning[] {
  const [empty, other] = [usual.get(''), usual.get(OTHER)];
  const isListed = (text: string) => [...codes.values()].some((list) => list.has(text) || list.has(fold(text)));
  const written = [...usual].filter(
    ([text, meaning]) => text !== '' && text !== OTHER && (meaning !== other || isListed(text)),
  );
  const meanings = [...new Set(written.map(([, meaning]) => meaning))].filter(
    (one) => place === 'only' || one !== empty,
  );
  const withoutText =
    empty === undefined || place === 'other'
      ? []
      : [
          place === 'only'
            ? { meaning: empty, column, texts: ['empty'] }
            : { meaning: empty, column: null, texts: ['otherwise'] },
        ];
  if (isName || written.length > MAX_TEXTS) {
    const special = meanings.filter((meaning) => meaning !== empty && meaning !== other);
    return [...special.map((meaning) => ({ meaning, column, texts: ['by its words'] })), ...withoutText];
  }
  const isDay = written.length > 0 && written.every(([text]) => text.replace(/\D/g, '').length >= 6);
  const [only] = meanings;
  if (only === undefined && other !== undefined && other !== empty)
    return [{ meaning: other, column, texts: ['filled'] }, ...withoutText];
  if (only !== undefined && meanings.length === 1 && empty !== only && (other === only || isDay))
    return [{ meaning: only, column, texts: ['filled'] }, ...withoutText];
  const listed = meanings.map((meaning) => {
    const texts = written.flatMap(([text, one]) => (one === meaning ? [showText(text, codes)] : []));
    return { meaning, column, texts: [...new Map(texts.map((text) => [fold(text), text])).values()] };
  });
  const isUnknown =
    other !== undefined && other !== empty && (place === 'only' || listed.flatMap(({ texts }) => texts).length > 2);
  return [...listed, ...(isUnknown ? [{ meaning: other, column, texts: ['any other text'] }] : []), ...withoutText];
}

function findUsual(meanings: readonly string[]): string {
  const groups = [...Map.groupBy(meanings, (meaning) => meaning)];
  return groups.toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? '';
}

/** The texts that examples have, and the other codes of the lists that have one of these texts. Case and white space do not count. */
function listTexts(known: ReadonlySet<string>, codes: Codes): readonly string[] {
  const write = (text: string) => fold(text).replaceAll(/\s+/g, ' ');
  const texts = new Map(
    [...known].slice(0, 2 * MAX_TEXTS).map((text) => [write(text), text.trim().replaceAll(/\s+/g, ' ')]),
  );
  for (const list of codes.values()) {
    const isUsed = [...list.keys()].filter((code) => texts.has(write(code))).length >= Math.min(2, list.size);
    if (!isUsed) continue;
    for (const code of list.keys())
      if (!texts.has(write(code)) || code !== code.toLowerCase()) texts.set(write(code), code);
  }
  return [...texts.values()];
}

/** A code with its text, unless that is long. Of a text that has a code in it, such as a procedure with its day, only the code. */
function showText(text: string, codes: Codes): string {
  for (const list of codes.values()) {
    const label = list.get(text);
    if (label !== undefined)
      return label === '' || label.length > MAX_LABEL || label === text ? `\`${text}\`` : `\`${text}\` (${label})`;
  }
  const parts = new Set(text.split(/[^\p{L}\p{N}]+/u));
  const inside = [...codes.values()]
    .flatMap((list) => [...list.keys()])
    .filter((code) => code !== '' && parts.has(code));
  return `\`${text.length > 12 && /\d{4}/.test(text) && inside[0] !== undefined ? inside[0] : text}\``;
}
