/**
 * Names and days of generated companies, made of those in a sample. A word of a name is replaced by another word that the sample has in the
 * same column. Words that many names have stay, such as a legal form, and so do those that other cells have.
 */
import { fold } from '../src/base/fold.ts';
import type { Mark } from '../src/registers/contract.ts';
import type { Company } from './company.ts';

type Write = (company: Company) => string;

interface Texts {
  count: number;
  /** How often each word occurs. */
  readonly words: Map<string, number>;
  /** Whether all of them are days, and the first of those. */
  onlyDays: boolean;
  firstDay: string;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
const WORD = /^(?:\p{L}[\p{L}\p{M}'’]{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,})$/u;
/** Roles are in brackets behind names. */
const KEPT = /\[[^\]]*\]|\S*[$@_\d]\S*/gu;

/** `2024-03-21`, `21.03.2024`, `03/21/2024` and `20240321`, with or without a time. */
const DAYS =
  /^(?<before>\d\d[./-]\d\d[./-])?(?<year>(?:18|19|20)\d\d)(?<after>-\d\d-\d\d.*|(?:0\d|1[0-2])[0-3]\d|(?<=^.{10})(?: .*)?)$/s;

export function createWords() {
  const columns = new Map<string, Texts>();
  /** The words of cells without names, such as the text of a legal form. */
  const plain = new Set<string>();
  const pools = new Map<string, ReturnType<typeof createPool>>();
  /**
   * The column that decides what a word is replaced by, so that all names of a company, or of a person, change in the same way: the first
   * column of names of companies, and the last of persons, which is often one of first names or one of family names.
   */
  const homes = { company: new Map<string, string>(), person: new Map<string, string>() };

  /** All texts have to be known before the first name is made. */
  function note(text: string, column: string, mark: Mark | undefined): void {
    if (text === '') return;
    const texts = columns.getOrInsertComputed(column, () => ({
      count: 0,
      words: new Map(),
      onlyDays: true,
      firstDay: '9999',
    }));
    texts.count++;
    const day = DAYS.exec(text);
    if (day === null) texts.onlyDays &&= /^[0null]*$/.test(text);
    else if (toSortable(day) < texts.firstDay) texts.firstDay = toSortable(day);
    for (const { word } of listWords(text)) {
      texts.words.set(word, (texts.words.get(word) ?? 0) + 1);
      if (mark === 'neither') plain.add(fold(word));
      else if (mark !== 'organisation') homes.person.set(word, column);
      else if (!homes.company.has(word)) homes.company.set(word, column);
    }
  }

  function isReplaced(word: string, { words, count }: Texts): boolean {
    return (words.get(word) ?? 0) <= Math.max(1, count * 0.08) && !plain.has(fold(word));
  }

  /** What replaces a word by another one of the column. Null if the word stays. */
  function findPool(word: string, column: string): ReturnType<typeof createPool> | null {
    const texts = columns.get(column);
    if (texts === undefined || !isReplaced(word, texts)) return null;
    const shape = shapeOf(word);
    return pools.getOrInsertComputed(`${shape} ${column}`, () =>
      createPool([...texts.words.keys()].filter((other) => shapeOf(other) === shape && isReplaced(other, texts))),
    );
  }

  /** What writes the name of a company or person. Null if the name has no word that can be replaced. */
  function compileName(text: string, column: string, isOrganisation: boolean): Write | null {
    const home = isOrganisation ? homes.company : homes.person;
    const found = listWords(text);
    const replaced = found.flatMap(({ word, index }, at) => {
      // The last word is often a rare legal form.
      if (isOrganisation && at > 0 && at === found.length - 1) return [];
      const replace = findPool(word, home.get(word) ?? column);
      return replace === null ? [] : [{ word, index, replace }];
    });
    if (replaced.length === 0) return null;
    return (company) => {
      if (company.isSample) return text;
      let [made, at] = ['', 0];
      for (const { word, index, replace } of replaced) {
        made += text.slice(at, index) + replace(word, company);
        at = index + word.length;
      }
      return made + text.slice(at);
    };
  }

  return {
    note,
    compileName,
    /** What writes a day that is some years earlier, but not before all others. Null if the column has other texts. */
    compileDay(text: string, column: string): Write | null {
      const texts = columns.get(column);
      const day = texts?.onlyDays === true ? DAYS.exec(text) : null;
      if (texts === undefined || day === null) return null;
      const { before = '', year = '', after = '' } = day.groups ?? {};
      return ({ years }) => {
        const shifted = before + (Number(year) - years) + after;
        return toSortable(DAYS.exec(shifted) ?? day) < texts.firstDay ? text : shifted;
      };
    },
  };
}

/** The year comes first. */
function toSortable({ groups: { before = '', year = '', after = '' } = {} }: RegExpExecArray): string {
  return year + after + before.split(/[./-]/).reverse().join('');
}

/** Replaces the words of a pool one to one, so that different names stay different. */
function createPool(words: readonly string[]) {
  const size = findPrime(words.length);
  const places = new Map(words.slice(0, size).map((word, place) => [word, place]));
  const key = hash(words.join());
  return (word: string, company: Company): string => {
    const place = places.get(word);
    if (place === undefined) return word;
    const factor = 1 + Math.floor(company.draw(key) * (size - 1));
    const shift = Math.floor(company.draw(key + 1) * size);
    return words[(place * factor + shift) % size] ?? word;
  };
}

function findPrime(most: number): number {
  for (let number = most; number > 2; number--) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor++;
    if (divisor * divisor > number) return number;
  }
  return most;
}

function listWords(text: string): readonly { readonly word: string; readonly index: number }[] {
  const kept = text.replace(KEPT, (part) => ' '.repeat(part.length));
  return Array.from(segmenter.segment(kept), ({ segment, index }) => ({ word: segment, index })).filter(({ word }) =>
    WORD.test(word),
  );
}

/** In capitals, with a capital at the start, or without. */
function shapeOf(word: string): string {
  const [first = '', second = ''] = word;
  const isCapital = (letter: string) => letter !== letter.toLowerCase();
  return `${isCapital(first)} ${isCapital(second)}`;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
