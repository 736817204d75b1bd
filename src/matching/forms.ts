import { editCost } from './distance.ts';
import { toLatin } from './latin.ts';
import { type FormClass, formRows, leadingForms, wordLikeForms } from './legal-forms.ts';
import { prepare, splitWords } from './tokens.ts';

/** A legal form found in a name. One spelling may belong to several classes: `AS` is a limited company in Norway, and stock in Estonia. */
export interface Form {
  readonly spelling: string;
  readonly meanings: readonly Meaning[];
}

export interface Meaning {
  readonly class: FormClass;
  readonly countries: readonly string[];
}

const MAX_FORM_WORDS = 7;
/** Typos are forgiven in spellings of at least so many letters. */
const MIN_TYPO_LENGTH = 6;

const known = new Map<string, { spelling: string; meanings: Meaning[] }>();
/** Long spellings by their first two letters and number of words, for typos: the first letters are seldom wrong. */
const long = new Map<string, string[]>();
for (const row of formRows) for (const spelling of row.spellings) addSpelling(spelling, row);

function addSpelling(spelling: string, row: Meaning): void {
  const words = splitWords(prepare(spelling)).map(toLatin);
  const text = words.join(' ');
  const entry = known.get(text) ?? { spelling, meanings: [] };
  if (!known.has(text) && text.length >= MIN_TYPO_LENGTH) {
    const key = longKey(text, words.length);
    long.set(key, [...(long.get(key) ?? []), text]);
  }
  entry.meanings.push({ class: row.class, countries: row.countries });
  known.set(text, entry);
}

function longKey(text: string, words: number): string {
  return text.slice(0, 2) + words;
}

/** The forms at both ends of a name, and the words between them. At least one word is left. */
export function separateForms(
  words: readonly string[],
  country: string | undefined,
): { start: number; end: number; forms: Form[] } {
  const forms: Form[] = [];
  let start = 0;
  let end = words.length;
  for (let found = true; found && forms.length < 4; ) {
    found = false;
    for (let length = Math.min(MAX_FORM_WORDS, end - start - 1); length > 0 && !found; length--) {
      const last = findForm(words, end - length, end, country, false);
      if (last !== undefined) {
        forms.push(last);
        end -= length;
        found = true;
        break;
      }
      const first = findForm(words, start, start + length, country, true);
      if (first === undefined) continue;
      forms.push(first);
      start += length;
      found = true;
    }
  }
  return { start, end, forms };
}

/** The form that a text alone names, such as the query's `legalForm` or the register's. */
export function readForm(text: string, country: string | undefined): Form | undefined {
  const words = splitWords(prepare(text)).map(toLatin);
  return words.length === 0
    ? undefined
    : (findForm(words, 0, words.length, country, false) ?? findInside(words, country));
}

/** Registers write `Private limited company by shares`: the longest known form within. */
function findInside(words: readonly string[], country: string | undefined): Form | undefined {
  for (let length = Math.min(MAX_FORM_WORDS, words.length - 1); length > 0; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const found = findForm(words, at, at + length, country, false);
      if (found !== undefined && (length > 1 || found.meanings[0]?.class !== 'company')) return found;
    }
  }
  return undefined;
}

function findForm(
  words: readonly string[],
  start: number,
  end: number,
  country: string | undefined,
  isFirst: boolean,
): Form | undefined {
  const text = end - start === 1 ? (words[start] as string) : words.slice(start, end).join(' ');
  const exact = known.get(text);
  if (exact !== undefined) return isUsable(text, exact.meanings, country, isFirst) ? narrow(exact, country) : undefined;
  if (text.length < MIN_TYPO_LENGTH) return undefined;
  const budget = text.length < 10 ? 1 : 2;
  for (const spelling of long.get(longKey(text, end - start)) ?? []) {
    if (Math.abs(spelling.length - text.length) > budget) continue;
    if (editCost(text, spelling, budget) <= budget) return narrow(known.get(spelling) as Form, country);
  }
  return undefined;
}

function isUsable(text: string, meanings: readonly Meaning[], country: string | undefined, isFirst: boolean): boolean {
  if (isFirst && text.length <= 4 && !leadingForms.has(text)) return false;
  // `company` and `association` name a form at the end only: `Company of Heroes`, `Association X` reads better as a name.
  if (isFirst && text.length > 4 && FIRST_WORDS.has(text)) return false;
  if (
    isFirst &&
    country !== undefined &&
    !meanings.some(({ countries }) => countries.length === 0 || countries.includes(country))
  )
    return false;
  if (!wordLikeForms.has(text)) return true;
  return country === undefined ? !isFirst : meanings.some(({ countries }) => countries.includes(country));
}

const FIRST_WORDS = new Set([
  'company',
  'limited',
  'partnership',
  'cooperative',
  'branch',
  'corporation',
  'incorporated',
  'unlimited',
]);

/** Of several meanings, those of the country. */
function narrow(form: Form, country: string | undefined): Form {
  if (country === undefined || form.meanings.length === 1) return form;
  const local = form.meanings.filter(({ countries }) => countries.includes(country));
  return local.length === 0 ? form : { spelling: form.spelling, meanings: local };
}
