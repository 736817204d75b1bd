import { toLatin } from '../../base/romanise.ts';
import { type Form, isCutForm, separateForms } from './forms.ts';
import { readPlace } from './places.ts';
import { prepare, SMALL_WORDS, splitWords } from './tokens.ts';

/** A name, parsed for comparison. */
export interface Name {
  readonly words: readonly Word[];
  readonly forms: readonly Form[];
  /** The position of the first distinctive word, or of the first word. */
  readonly lead: number;
  /** All words without spaces. */
  readonly joined: string;
  /** All words with spaces. Names with equal keys are equal. */
  readonly key: string;
  /** The first letters of all words, including the legal form but not small words: `Mersey Dairy Association` has `mda`. */
  readonly initials: string;
  /** All digits and numbers, in the order of the name. */
  readonly numbers: readonly string[];
  /** Whether the name is the whole text, the part before `t/a`, or another part, such as the text in brackets. */
  readonly part: NamePart;
}

export type NamePart = 'whole' | 'legal' | 'other';

export interface Word {
  /** The position in the name. */
  readonly at: number;
  /** The word in Latin letters, and with numbers in one notation. */
  readonly text: string;
  /** The word as it is in the index. */
  readonly folded: string;
  readonly isNumber: boolean;
  /** The code of the country that the word names. */
  readonly place: string | undefined;
  readonly rarity: Rarity;
}

/** How rare a word is in the index. */
export interface Rarity {
  /** From 0 (in all names) to 1 (unique). */
  readonly weight: number;
  /** The share of companies that have the word, and their number. */
  readonly share: number;
  readonly count: number;
  /** Whether so few companies have the word that it distinguishes them. Words such as `of` never do. */
  readonly isDistinctive: boolean;
}

/** Finds how rare a word is by its folded form or, if no company has it, by its text. */
export type Rate = (folded: string, text: string) => Rarity;

const UNRATED: Rarity = { weight: 0, share: 0, count: 0, isDistinctive: false };

/** Parses a name and the other names inside: around `t/a`, in brackets, on both sides of a slash. */
export function readNames(text: string, country?: string, rate: Rate = () => UNRATED): Name[] {
  const folded = prepare(text);
  if (!DIVIDED.test(folded)) {
    const name = readName(folded, country, 'whole', rate);
    return name === undefined ? [] : [name];
  }
  const names = new Map<string, Name>();
  const add = (text: string, part: NamePart) => {
    const name = readName(text, country, part, rate);
    if (name !== undefined && !names.has(name.key)) names.set(name.key, name);
  };
  const [before = '', after] = folded.split(CARE_OF);
  const [whole, initials] = separateInitials(before);
  const parts = whole.split(TRADING_AS);
  add(parts.join(' '), 'whole');
  if (parts.length > 1)
    for (const [at, part] of parts.slice(0, MAX_PARTS).entries()) add(part, at === 0 ? 'legal' : 'other');
  else for (const part of [...whole.split(SEPARATOR), ...bracketParts(whole)].slice(0, MAX_PARTS)) add(part, 'other');
  if (initials !== undefined) add(initials, 'other');
  // The name after c/o usually belongs to somebody else. Its forms are removed, so that a match by this name is never certain.
  const other = after === undefined ? undefined : readName(after, country, 'other', rate);
  if (other !== undefined && !names.has(other.key)) names.set(other.key, { ...other, forms: [] });
  return [...names.values()].slice(0, MAX_PARTS + 1);
}

const MAX_PARTS = 3;
/** Matches every text that one of the following expressions divides. Most names do not match, and this test is fast. */
const DIVIDED =
  /[/|([]| - |dba|[afn]ka|\.a\.|ing as|ing name|ness as|nown as|b\.a\.|formerly|previously|affaire|ancienne|vormals|ehemals|tidligere|dawniej|h\.o\.d\.n|nder de naam|fantasia/;
const TRADING_AS =
  /\s*[([]?(?<![\p{L}\p{N}])(?:t\/a|t\.a\.|o\/a|a\/o|o\.a\.|d\/b\/a|d\.b\.a\.|dba|[afn]\/k\/a|[afn]ka|(?:also |formerly |previously |now )?known as|trading (?:as|name)|operating as|carrying on business as|doing business as|formerly|previously|faisant affaires?(?: sous)?|anciennement|vormals|ehemals|tidligere|dawniej|h\.o\.d\.n\.|handelend onder de naam|nome (?:de )?fantasia)(?![\p{L}\p{N}])[)\].:]*\s*/u;
const SEPARATOR = /\s*[/|]\s+|\s+[/|]\s*|\s+-\s+|(?<=\p{L}{4})\/(?=\p{L}{4})/u;
const CARE_OF = /(?<![\p{L}\p{N}])c\/o(?![\p{L}\p{N}])/u;
const BRACKETS = /[([]([^()[\]]*)[)\]]/g;

/** Separates a name from its own initials in brackets: `Defense Information Systems Agency (DISA)`. */
function separateInitials(folded: string): readonly [name: string, initials?: string] {
  const found = SHORT_BRACKETS.exec(folded);
  if (found === null) return [folded];
  const rest = folded.replace(SHORT_BRACKETS, ' ');
  const words = splitWords(rest);
  const isInitials = [words, words.filter((word) => word.length > MAX_SMALL)].some((list) =>
    list
      .map((word) => word[0])
      .join('')
      .startsWith(found[1] ?? ''),
  );
  return isInitials ? [rest, found[1] as string] : [folded];
}

/** Words up to this length, such as `of`, `des` and `for`, often have no initial. */
const MAX_SMALL = 3;

const SHORT_BRACKETS = /\((\p{L}{2,6})\)/u;

/** A name without its brackets, and the text in the brackets. Empty if the brackets contain a place, which is part of the name. */
function bracketParts(folded: string): string[] {
  const found = [...folded.matchAll(BRACKETS)].slice(0, 2);
  const contents = found
    .map(([, content = '']) => content.trim())
    .filter((content) => content.length > 2 && !ARTICLES.has(content));
  if (contents.length === 0 || contents.some((content) => readPlace(splitWords(content).map(toLatin), 0))) return [];
  return [folded.replace(BRACKETS, ' '), ...contents];
}

function readName(folded: string, country: string | undefined, part: NamePart, rate: Rate): Name | undefined {
  const written = splitWords(folded);
  if (written.length === 0) return undefined;
  const latin = toLatinAll(written);
  // `Foo Limited (The)`
  if (latin.length > 1 && ARTICLES.has(latin.at(-1) ?? '')) latin.pop();
  if (latin.length > 2 && isCutForm(latin.at(-1) ?? '', folded.length)) latin.pop();
  const first = latin[0] !== undefined && ARTICLES.has(latin[0]) && latin.length > 1 ? 1 : 0;
  const separated = separateForms(latin.slice(first), country);
  const start = first + separated.start;
  const end = first + separated.end;
  const between = start === 0 && end === latin.length ? latin : latin.slice(start, end);
  const words: Word[] = [];
  for (let at = start; at < end; at++) {
    const text = latin[at] as string;
    const number = readNumber(text, at === end - 1 && end - start > 1);
    const place = number === undefined ? readPlace(between, at - start) : undefined;
    const previous = words.at(-1);
    if (number !== undefined && previous?.isNumber && isTens(previous.text) && number.length === 1) {
      words[words.length - 1] = { ...previous, text: String(Number(previous.text) + Number(number)) };
      continue;
    }
    for (let more = 0; more < (place?.length ?? 1); more++) {
      const text = number ?? (latin[at + more] as string);
      const folded = written[at + more] as string;
      words.push({
        at: words.length,
        text,
        folded,
        isNumber: number !== undefined,
        place: place?.code,
        rarity: rate(folded, text),
      });
    }
    at += (place?.length ?? 1) - 1;
  }
  const texts = words.map((word) => word.text);
  const key = texts.join(' ');
  return {
    words,
    forms: separated.forms,
    lead: Math.max(
      0,
      words.findIndex(({ rarity }) => rarity.isDistinctive),
    ),
    joined: texts.join(''),
    key,
    initials: initialsOf(latin.slice(first)),
    numbers: !DIGIT.test(key)
      ? []
      : words.flatMap(({ text, isNumber }) => (isNumber ? [text] : (text.match(DIGITS) ?? []))),
    part,
  };
}

function initialsOf(words: readonly string[]): string {
  let letters = '';
  for (const word of words) if (!SMALL_WORDS.has(word)) letters += word[0];
  return letters;
}

const ARTICLES = new Set(['the']);
const DIGIT = /\d/;
const DIGITS = /\d+/g;

/** Transcribes all words at once, because one letter may show the language of all words. */
function toLatinAll(words: readonly string[]): string[] {
  const text = words.join(' ');
  const latin = toLatin(text);
  if (latin === text) return [...words];
  return latin.split(' ').map((word, at) => (word === '' ? (words[at] ?? '') : word));
}

/**
 * Turns numbers in names into one notation: `2`, `II`, `2nd`, `second` and `two` all become `2`, so that companies of a series are never
 * confused, and each company is found in every spelling.
 */
function readNumber(word: string, isLast: boolean): string | undefined {
  if (NUMERAL.test(word)) return stripZeros(/^\d+/.exec(word)?.[0] ?? word);
  // A single letter is a number only at the end: `Fund I`.
  return word.length === 1 && !isLast ? undefined : SPELLED.get(word);
}

/** Whether a number is a multiple of ten, which may begin a number such as `forty four`. */
function isTens(number: string | undefined): boolean {
  return number !== undefined && /^[2-9]0$/.test(number);
}

const NUMERAL = /^\d{1,20}(?:st|nd|rd|th|er|ere|e|eme|ste|de|a|o|os|y|ta)?$/;

function stripZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** Numbers in letters: the first number, the difference between two words, and the words. */
const NUMBERS = `
1 1 i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxvi xxvii xxviii xxix xxx xxxi xxxii xxxiii xxxiv xxxv xxxvi xxxvii xxxviii xxxix
1 1 one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
20 10 twenty thirty forty/fourty fifty sixty seventy eighty ninety hundred
1 1 first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
1 1 erste/erster/erstes zweite/zweiter/zweites dritte/dritter vierte/vierter funfte/funfter
1 1 premier/premiere deuxieme troisieme quatrieme cinquieme
1 1 primero/primera/primeiro/primeira segundo/segunda tercero/tercera/terceiro cuarto/cuarta/quarto quinto/quinta
1 1 pervyi/pervaya/pervoe/persha/pershyi vtoroi/vtoraya/druha/druhyi tretii/tretya/tretia`;
const SPELLED = new Map<string, string>();
for (const line of NUMBERS.trim().split('\n')) {
  const [start, step, ...words] = line.split(' ');
  for (const [at, word] of words.entries())
    for (const one of word.split('/')) SPELLED.set(one, String(Number(start) + at * Number(step)));
}
