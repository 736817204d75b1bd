import type { EntitySummary } from '../core/entity-summary.ts';
import type { AskedName, Candidate, Candidates } from '../matching/candidates.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { rankNames } from './match-names.ts';
import { splitWords } from './memory/match/other-name-words.ts';
import { listOtherNames } from './other-names.ts';

/**
 * How engines in SQL find candidates: by several bounded look-ups of the rarest words, pairs of words and halves of words that may be
 * misspelt. How rare a word is comes from a sample of the names.
 */
export interface Lookup {
  readonly in: 'name' | 'numbers' | 'otherNames';
  /** The text contains one of each of these groups. */
  readonly all: readonly (readonly string[])[];
  /** The name begins with this. */
  readonly start?: string;
  /** Besides the country that is asked for. */
  readonly country?: string;
  readonly limit: number;
}

/** How many entities have a word in their name. Words that the sample lacks are rare, and it does not matter how rare. */
export interface NameSample {
  entities(country?: string): number;
  count(word: string, country?: string): number;
}

/** How many names a sample has, if there are that many. */
export const SAMPLED = 50_000;

/** `share` is the part of all names that the sample has. */
export function countWords(
  rows: Iterable<{ readonly country: string; readonly name: string; readonly entities?: number }>,
  share: number,
): NameSample {
  const counts = new Map<string, number>();
  for (const { country, name, entities = 1 } of rows) {
    for (const key of ['', country].flatMap((one) => ['', ...splitWords(name)].map((word) => `${one} ${word}`))) {
      counts.set(key, (counts.get(key) ?? 0) + entities);
    }
  }
  const read = (key: string) => Math.round((counts.get(key) ?? 0) / share);
  return { entities: (country = '') => read(`${country} `), count: (word, country = '') => read(`${country} ${word}`) };
}

/** What each look-up returns at most, and all of them together. */
const MAX_PER_LOOKUP = 100;
export const MAX_FOUND = 600;
/** The rarest words are looked up, and the longest of those that no name of the sample has: they may be rare, or misspelt. */
const [MAX_KNOWN, MAX_UNKNOWN] = [3, 3];
const MAX_JOINED = 6;
const MAX_NUMBERS = 4;
const MAX_WORD = 60;
/** The indexes have trigrams. A half of a misspelt word must tell something, and more if it is looked up alone. */
const MIN_LENGTH = 3;
const [MIN_HALF, MIN_ALONE, MAX_START] = [3, 4, 5];
/** A frequent word alone finds too many names. */
const MAX_ALONE = 0.005;

export function chooseLookups(asked: AskedName, names: NameSample): Lookup[] {
  const lookups: Lookup[] = [];
  const add = (lookup: Omit<Lookup, 'limit'>, limit = MAX_PER_LOOKUP) => lookups.push({ ...lookup, limit });
  for (const number of asked.numbers.slice(0, MAX_NUMBERS)) {
    const vat = readVatNumber(number);
    if (number.length >= MIN_LENGTH) add({ in: 'numbers', all: [[number]] });
    if (vat !== undefined) add({ in: 'numbers', all: [[vat.number]], country: vat.country });
  }
  // Names that begin like this: words of one or two letters are in no look-up by trigrams.
  const start = asked.words.join(' ').slice(0, MAX_WORD);
  if (start !== '') add({ in: 'name', all: [], start });
  const letters = asked.words.filter((word) => word.length === 1).join(' ');
  if (letters.length >= MIN_LENGTH) add({ in: 'name', all: [], start: letters });
  const words = chooseWords(asked.words, names);
  if (words.length > 0) {
    add({ in: 'name', all: words.map((word) => [word]) });
    add({ in: 'otherNames', all: words.slice(0, MAX_KNOWN).map((word) => [word]) });
  }
  // Words that no name of the sample has may be misspelt; if there are none, the rarest.
  const unknown = words.filter((word) => names.count(word) === 0);
  const misspelt = unknown.length > 0 ? unknown : words.slice(0, 2);
  for (const word of words) {
    const others = words.filter((other) => other !== word);
    if (others.length > 0) add({ in: 'name', all: [[word], others] });
    const pieces = misspelt.filter((other) => other !== word).flatMap((other) => listPieces(other, MIN_HALF));
    if (pieces.length > 0) add({ in: 'name', all: [[word], pieces] });
    const count = names.count(word);
    if (count <= names.entities() * MAX_ALONE) add({ in: 'name', all: [[word]] });
    if (count === 0 || words.length === 1) add({ in: 'name', all: [listPieces(word, MIN_ALONE)] }, 2 * MAX_PER_LOOKUP);
  }
  for (const joined of asked.joined.slice(0, MAX_JOINED))
    if (joined.length > MIN_LENGTH) add({ in: 'name', all: [[joined.slice(0, MAX_WORD)]] });
  return lookups;
}

function chooseWords(asked: readonly string[], names: NameSample): string[] {
  const long = [...new Set(asked.map((word) => word.slice(0, MAX_WORD)))].filter((word) => word.length >= MIN_LENGTH);
  const known = long.filter((word) => names.count(word) > 0).sort((a, b) => names.count(a) - names.count(b));
  const unknown = long.filter((word) => names.count(word) === 0).sort((a, b) => b.length - a.length);
  return [...unknown.slice(0, MAX_UNKNOWN), ...known.slice(0, MAX_KNOWN)];
}

/** Parts of a word that it has even if it is misspelt: both halves, and the start of a long one, which may be two words. */
function listPieces(word: string, least: number): string[] {
  const half = Math.max(least, word.length >> 1);
  return [
    ...new Set([word.slice(0, half), word.slice(-half), ...(half > MAX_START ? [word.slice(0, MAX_START)] : [])]),
  ];
}

/** A row that a look-up has found. `namedRegistry` is that of the store. */
export function toCandidate(
  entity: EntitySummary,
  {
    numberKeys,
    namedRegistry,
    postcode = null,
  }: { numberKeys: string; namedRegistry: string; postcode?: string | null },
): Candidate {
  return {
    id: entity.id,
    entity,
    countryCode: entity.countryCode,
    names: [{ text: entity.canonicalName, kind: 'current' }, ...listOtherNames(namedRegistry)],
    numbers: numberKeys === '' ? [] : numberKeys.split('\n').map((line) => line.slice(line.indexOf('\t') + 1)),
    postcode,
  };
}

/** The best of what the look-ups have found, ranked by the words they share with what is asked for, as the engine in memory does. */
export function rankFound<T extends { readonly candidate: Candidate }>(
  asked: AskedName,
  names: NameSample,
  found: readonly T[],
): { readonly ranked: readonly T[]; readonly reply: Omit<Candidates, 'version' | 'sameName'> } {
  const weigh = (word: string) => Math.log(1 + names.entities() / (names.count(word) + 0.5));
  const ranked = rankNames(asked, found, weigh).slice(0, asked.limit);
  const reply = {
    candidates: ranked.map(({ candidate }) => candidate),
    bounded: found.length >= MAX_FOUND,
    entities: names.entities(asked.country),
    frequency: (word: string) => names.count(word, asked.country),
  };
  return { ranked, reply };
}
