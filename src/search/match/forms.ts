import { toLatin } from '../../base/romanise.ts';
import { elfCodes } from '../../registers/classifications/elf.ts';
import { readRows } from '../../registers/data-files.ts';
import { editCost } from './distance.ts';
import { prepare, splitWords } from './tokens.ts';

/** A legal form in a name. A spelling may have several classes: `AS` is a limited company in Norway and a stock corporation in Estonia. */
export interface Form {
  readonly spelling: string;
  readonly meanings: readonly Meaning[];
}

export interface Meaning {
  readonly class: string;
  readonly countries: readonly string[];
}

/** Spellings of legal forms, by class and countries; without countries, a form is used everywhere. A `note` is an addition to a name, not a form. */
const formRows = readRows('classifications/name-forms.tsv').map(([name = '', countries = '', spellings = '']) => ({
  class: name,
  countries: countries === '' ? [] : countries.split(','),
  spellings: spellings.split(', '),
}));

/** Short forms that are also ordinary words or initials. They count as forms only in their countries. */
const wordLikeForms = new Set(
  'ans sas sci sc vas as se ad ou ie me at pp dp kp sp po gp pc pa na ps da dd og sc sec cv sf pl fh zs ku brl kf go ip dac mb is vas tu reg comp ei sl pt rt ks kb ugr ky ab sa cia'.split(
    ' ',
  ),
);
/** Other such short forms, which count as forms only if the company is known to be in their country. */
const localForms = new Set('uu oe ee nl uc gt sr rs ay iu il sti earl ics gfa scm du kz if'.split(' '));
/** Forms of two or three letters that may come first: `AB Volvo`, `PT Astra`, `SIA Latvijas Gāze`, `TOV Roshen`. */
const leadingForms = new Set(
  'ab ao as ou oy pt sc pp at dp ip go kp kf tov ooo oao zao pao nao pat prat vat zat sia uab llc jsc srl too vas fop fie is mb vzw asbl sarl sas eurl fh fg sfg kfkh svj brf brl zs ku stov osbb sci stg snc ik ano cjsc ojsc pjsc gaec earl scea ics gt svk knp iu zub gfa scm'.split(
    ' ',
  ),
);

const MAX_FORM_WORDS = 7;
/** Typos are accepted in spellings of at least this many letters. */
const MIN_TYPO_LENGTH = 6;

const known = new Map<string, { spelling: string; meanings: Meaning[] }>();
/** Long spellings by their first two letters and number of words, to find typos. Spellings of one word are also found by their last letters. */
const long = new Map<string, string[]>();
/** By the first two letters of spellings: the numbers of words of these spellings, one bit per number. */
const lengths = new Map<string, number>();
for (const row of formRows) for (const spelling of row.spellings) addSpelling(spelling, row);

function addSpelling(spelling: string, row: Meaning): void {
  const words = splitWords(prepare(spelling)).map(toLatin);
  const text = words.join(' ');
  const entry = known.get(text) ?? { spelling, meanings: [] };
  if (!known.has(text) && text.length >= MIN_TYPO_LENGTH) {
    for (const key of longKeys(text, words.length)) long.set(key, [...(long.get(key) ?? []), text]);
  }
  entry.meanings.push({ class: row.class, countries: row.countries });
  const start = text.slice(0, 2);
  lengths.set(start, (lengths.get(start) ?? 0) | (1 << words.length));
  known.set(text, entry);
}

const formNames = new Set(Array.from(elfCodes.values(), ({ name }) => splitWords(prepare(name)).join(' ')));

/** Whether a text is the name of a legal form and nothing else, such as `Oversea Company`. */
export function isFormName(text: string): boolean {
  return formNames.has(splitWords(prepare(text)).join(' '));
}

/** The keys of a text in `long`. Several words have no key for their end: `UK Limited` is not a misspelt `Co Limited`. */
function longKeys(text: string, words: number): string[] {
  return [text.slice(0, 2) + words, ...(words === 1 ? [text.slice(-2)] : [])];
}

/** Finds the forms at both ends of a name, and the range of words between these forms. At least one word is left. */
export function separateForms(
  words: readonly string[],
  country: string | undefined,
): { start: number; end: number; forms: Form[] } {
  const forms: Form[] = [];
  const starts = words.map(startsOf);
  let start = 0;
  let end = words.length;
  for (let found = true; found && forms.length < MAX_FORMS; ) {
    found = false;
    for (let length = Math.min(MAX_FORM_WORDS, end - start - 1); length > 0 && !found; length--) {
      const last = mayBeForm(starts, end - length, end) && findForm(words, end - length, end, country, false);
      if (last) {
        forms.push(last);
        end -= length;
        found = true;
        break;
      }
      const first = mayBeForm(starts, start, start + length) && findForm(words, start, start + length, country, true);
      if (!first) continue;
      forms.push(first);
      start += length;
      found = true;
    }
  }
  return { start, end, forms: forms.filter(({ meanings }) => meanings[0]?.class !== 'note') };
}

const MAX_FORMS = 5;

/** Whether the last word of a text of this length is the beginning of a truncated form: `… ENGINEERING (CANADA) L`. */
export function isCutForm(word: string, length: number): boolean {
  // A single I may be a number: `Fund I`.
  if (length < MIN_CUT || (word === 'i' && !FIELD_WIDTHS.has(length))) return false;
  return CUT_FORMS.some((form) => word.length < form.length && form.startsWith(word));
}

const MIN_CUT = 28;
/** Widths of fields in forms and old systems. */
const FIELD_WIDTHS = new Set([30, 32, 35, 40, 50, 60]);
const CUT_FORMS = 'limited ltd incorporated inc corporation company limitee ltee gmbh sarl'.split(' ');

/** The form in a text that names only a form, such as `legalForm` of the query or of a record. */
export function readForm(text: string, country: string | undefined): Form | undefined {
  const words = splitWords(prepare(text)).map(toLatin);
  return words.length === 0
    ? undefined
    : (findForm(words, 0, words.length, country, false) ?? findInside(words, country));
}

/** The longest known form inside a text such as `Private limited company by shares`. */
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
  const meant = known.has(text) ? text : findMisspelt(text, end - start);
  const form = meant === undefined ? undefined : (known.get(meant) as Form);
  return form !== undefined && isUsable(meant as string, form.meanings, country, isFirst)
    ? narrow(form, country)
    : undefined;
}

/** The spelling of which a text may be a misspelling. */
function findMisspelt(text: string, count: number): string | undefined {
  if (text.length < MIN_TYPO_LENGTH) return undefined;
  const budget = text.length < 10 ? 1 : 2;
  for (const key of longKeys(text, count)) {
    for (const spelling of long.get(key) ?? []) {
      if (Math.abs(spelling.length - text.length) <= budget && editCost(text, spelling, budget) <= budget)
        return spelling;
    }
  }
  return undefined;
}

/** Whether the words can be a form, which rules out most words. `starts` has the result of `startsOf` for each word. */
function mayBeForm(starts: readonly number[], start: number, end: number): boolean {
  return (((starts[start] as number) >>> (end - start)) & 1) === 1;
}

/** The possible numbers of words of forms that begin with this word, one bit per number. */
function startsOf(word: string): number {
  let bits = starts.get(word);
  if (bits === undefined) {
    // The key of a single letter ends with a space: in a form of several words, a space follows the letter.
    bits = (lengths.get(word.length === 1 ? `${word} ` : word.slice(0, 2)) ?? 0) & ~ONE_WORD;
    if (known.has(word) || findMisspelt(word, 1) !== undefined) bits |= ONE_WORD;
    if (starts.size >= MAX_KNOWN) starts.clear();
    starts.set(word, bits);
  }
  return bits;
}

/** Caches the result of `startsOf`, because many words occur in many names. */
const starts = new Map<string, number>();
const MAX_KNOWN = 8_192;
const ONE_WORD = 1 << 1;

function isUsable(text: string, meanings: readonly Meaning[], country: string | undefined, isFirst: boolean): boolean {
  if (isFirst && text.length <= 4 && !leadingForms.has(text)) return false;
  // `company` and `association` are forms only at the end of a name. At the start, as in `Company of Heroes`, they are part of the name.
  if (isFirst && text.length > 4 && FIRST_WORDS.has(text)) return false;
  if (
    isFirst &&
    country !== undefined &&
    !meanings.some(({ countries }) => countries.length === 0 || countries.includes(country))
  )
    return false;
  const isLocal = localForms.has(text);
  if (!isLocal && !wordLikeForms.has(text)) return true;
  return country === undefined ? !isFirst && !isLocal : meanings.some(({ countries }) => countries.includes(country));
}

const FIRST_WORDS = new Set(
  'company limited partnership cooperative branch corporation incorporated unlimited'.split(' '),
);

/** Reduces several meanings of a form to the meanings in the country, if there are any. */
function narrow(form: Form, country: string | undefined): Form {
  if (country === undefined || form.meanings.length === 1) return form;
  const local = form.meanings.filter(({ countries }) => countries.includes(country));
  return local.length === 0 ? form : { spelling: form.spelling, meanings: local };
}
