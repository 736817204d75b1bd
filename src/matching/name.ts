import { type Form, isCutForm, separateForms } from './forms.ts';
import { toLatin } from './latin.ts';
import { isTens, readNumber } from './numerals.ts';
import { readPlace } from './places.ts';
import { prepare, splitWords } from './tokens.ts';

/** A name as it is compared. */
export interface Name {
  readonly words: readonly Word[];
  readonly forms: readonly Form[];
  /** All words without spaces. */
  readonly joined: string;
  /** All words with spaces: equal for equal names. */
  readonly key: string;
  /** All digits and numbers, in their order. */
  readonly numbers: readonly string[];
  /** Whether it is the whole of what was written, the name before `t/a`, or another part, such as what is in brackets. */
  readonly part: NamePart;
}

export type NamePart = 'whole' | 'legal' | 'other';

export interface Word {
  /** In Latin letters, numbers in one notation. */
  readonly text: string;
  /** As the index has it. */
  readonly folded: string;
  readonly isNumber: boolean;
  /** The country that it names. */
  readonly place: string | undefined;
}

/** A name and the other names that it contains: around `t/a`, in brackets, on both sides of a slash. */
export function readNames(text: string, country?: string): Name[] {
  const folded = prepare(text);
  if (!DIVIDED.test(folded)) {
    const name = readName(folded, country, 'whole');
    return name === undefined ? [] : [name];
  }
  const names = new Map<string, Name>();
  const add = (text: string, part: NamePart) => {
    const name = readName(text, country, part);
    if (name !== undefined && !names.has(name.key)) names.set(name.key, name);
  };
  const [before = '', after] = folded.split(CARE_OF);
  const whole = removeInitials(before);
  const parts = whole.split(TRADING_AS);
  add(parts.join(' '), 'whole');
  if (parts.length > 1)
    for (const [at, part] of parts.slice(0, MAX_PARTS).entries()) add(part, at === 0 ? 'legal' : 'other');
  else for (const part of [...whole.split(SEPARATOR), ...bracketParts(whole)].slice(0, MAX_PARTS)) add(part, 'other');
  // What follows c/o is mostly somebody else. Without a form, it is never certain.
  const other = after === undefined ? undefined : readName(after, country, 'other');
  if (other !== undefined && !names.has(other.key)) names.set(other.key, { ...other, forms: [] });
  return [...names.values()].slice(0, MAX_PARTS + 1);
}

const MAX_PARTS = 3;
/** What every text has that one of the following expressions divides. Most names have none of it, and testing for it is fast. */
const DIVIDED =
  /[/|([]| - |dba|[afn]ka|\.a\.|ing as|ing name|ness as|nown as|b\.a\.|formerly|previously|affaire|ancienne|vormals|ehemals|tidligere|dawniej|h\.o\.d\.n|nder de naam|fantasia/;
const TRADING_AS =
  /\s*[([]?(?<![\p{L}\p{N}])(?:t\/a|t\.a\.|o\/a|a\/o|o\.a\.|d\/b\/a|d\.b\.a\.|dba|[afn]\/k\/a|[afn]ka|(?:also |formerly |previously |now )?known as|trading (?:as|name)|operating as|carrying on business as|doing business as|formerly|previously|faisant affaires?(?: sous)?|anciennement|vormals|ehemals|tidligere|dawniej|h\.o\.d\.n\.|handelend onder de naam|nome (?:de )?fantasia)(?![\p{L}\p{N}])[)\].:]*\s*/u;
const SEPARATOR = /\s*[/|]\s+|\s+[/|]\s*|\s+-\s+|(?<=\p{L}{4})\/(?=\p{L}{4})/u;
const CARE_OF = /(?<![\p{L}\p{N}])c\/o(?![\p{L}\p{N}])/u;
const BRACKETS = /[([]([^()[\]]*)[)\]]/g;

/** Without the name's own initials in brackets: `Defense Information Systems Agency (DISA)`. */
function removeInitials(folded: string): string {
  const found = SHORT_BRACKETS.exec(folded);
  if (found === null) return folded;
  const rest = folded.replace(SHORT_BRACKETS, ' ');
  const words = splitWords(rest);
  const isInitials = [words, words.filter((word) => word.length > MAX_SMALL)].some((list) =>
    list
      .map((word) => word[0])
      .join('')
      .startsWith(found[1] ?? ''),
  );
  return isInitials ? rest : folded;
}

/** Words such as `of`, `des` and `for` often have no initial. */
const MAX_SMALL = 3;

const SHORT_BRACKETS = /\((\p{L}{2,6})\)/u;

/** A name without its brackets, and what is in them; not for a place, which is part of the name. */
function bracketParts(folded: string): string[] {
  const found = [...folded.matchAll(BRACKETS)].slice(0, 2);
  const contents = found
    .map(([, content = '']) => content.trim())
    .filter((content) => content.length > 2 && !ARTICLES.has(content));
  if (contents.length === 0 || contents.some((content) => readPlace(splitWords(content).map(toLatin), 0))) return [];
  return [folded.replace(BRACKETS, ' '), ...contents];
}

function readName(folded: string, country: string | undefined, part: NamePart): Name | undefined {
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
      const word = latin[at + more] as string;
      words.push({
        text: number ?? word,
        folded: written[at + more] as string,
        isNumber: number !== undefined,
        place: place?.code,
      });
    }
    at += (place?.length ?? 1) - 1;
  }
  const texts = words.map((word) => word.text);
  const key = texts.join(' ');
  return {
    words,
    forms: separated.forms,
    joined: texts.join(''),
    key,
    numbers: !DIGIT.test(key)
      ? []
      : words.flatMap(({ text, isNumber }) => (isNumber ? [text] : (text.match(DIGITS) ?? []))),
    part,
  };
}

const ARTICLES = new Set(['the']);
const DIGIT = /\d/;
const DIGITS = /\d+/g;

/** All at once, because one letter shows in which language the others are. */
function toLatinAll(words: readonly string[]): string[] {
  const text = words.join(' ');
  const latin = toLatin(text);
  if (latin === text) return [...words];
  return latin.split(' ').map((word, at) => (word === '' ? (words[at] ?? '') : word));
}
