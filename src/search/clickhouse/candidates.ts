import { fold } from '../../base/fold.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import { readVatNumber } from '../../registers/vat-numbers.ts';
import type { AskedName, Candidate, CandidateSource } from '../match/matching.ts';
import { createEditCounter, MAX_COMPARED } from '../memory/match/word-shapes.ts';
import { listOtherNames, splitWords } from '../other-names.ts';
import { quote } from './connection.ts';
import { type PageRow, type Read, SUMMARY, summarize, writeCounts, writeFrom } from './query.ts';
import { bucketOf, writeContains } from './schema.ts';
import type { Published } from './store.ts';

type InTurn = <T>(account: string, deadline: Deadline, work: (read: Read) => Promise<T>) => Promise<T>;

/**
 * Finds candidates by several bounded look-ups of the rarest words, pairs of words and halves of words that may be misspelt. How rare
 * a word is comes from a sample of the names. Both statements read the same publication.
 */
export function createCandidates(
  current: () => Published,
  inTurn: InTurn,
  readSample: () => Promise<NameSample>,
): CandidateSource {
  return {
    async find(asked, { account, deadline }) {
      const published = current();
      const names = await readSample();
      const lookups = chooseLookups(asked, names);
      return inTurn(account, deadline, async (read) => {
        const rows = lookups.length === 0 ? [] : await read<FoundRow>(writeLookups(published, asked, lookups));
        const ranked = rankNames(asked, rows.map(describe), names).slice(0, asked.limit);
        const keys = new Map(ranked.map(({ candidate, nameKey }) => [candidate.id, nameKey]));
        const sql = writeSameNames(published, asked, [...new Set(keys.values())]);
        const same = new Map(ranked.length === 0 ? [] : await read<[nameKey: string, entities: number]>(sql));
        return {
          version: published.version,
          candidates: ranked.map(({ candidate }) => candidate),
          bounded: rows.length >= MAX_FOUND,
          entities: names.entities(),
          frequency: (word) => names.count(word),
          sameName: ({ id }) => same.get(keys.get(id) ?? '') ?? 1,
        };
      });
    },
  };
}

type FoundRow = readonly [summary: PageRow[0], nameKey: string, numberKeys: string, namedRegistry: string];

const OTHER_NAMES = `lowerUTF8(concat(JSONExtractRaw(named_registry, 'previousNames'), JSONExtractRaw(named_registry, 'otherNames')))`;

interface Found {
  readonly candidate: Candidate;
  readonly nameKey: string;
}

function describe([summary, nameKey, numberKeys, namedRegistry]: FoundRow): Found {
  const entity = summarize(summary);
  const { id, countryCode, canonicalName } = entity;
  const names = [{ text: canonicalName, kind: 'current' } as const, ...listOtherNames(namedRegistry)];
  const numbers = numberKeys === '' ? [] : numberKeys.split('\n').map((line) => line.slice(line.indexOf('\t') + 1));
  // Postcodes are in the records only.
  return { candidate: { id, entity, countryCode, names, numbers, postcode: null }, nameKey };
}

function writeLookups(published: Published, { country }: AskedName, lookups: readonly Lookup[]): string {
  const parts = lookups.map((lookup) => {
    const conditions = lookup.all.map((texts) => `(${texts.map((text) => writeHas(lookup.in, text)).join(' OR ')})`);
    if (lookup.in === 'otherNames') conditions.unshift("named_registry != ''");
    if (lookup.start !== undefined) conditions.push(`startsWith(name_key, ${quote(lookup.start)})`);
    for (const one of [country, lookup.country]) if (one !== undefined) conditions.push(`country_code = ${quote(one)}`);
    return `SELECT id, argMaxIf(((${SUMMARY}), name_key, number_keys, named_registry), publication, sign = 1) AS found
      ${writeFrom(published, { others: conditions })}
      GROUP BY id HAVING sum(sign) > 0 LIMIT ${lookup.limit}`;
  });
  return `SELECT (any(found) AS one).1, one.2, one.3, one.4 FROM (${parts.join(' UNION ALL ')})
    GROUP BY id ORDER BY count() DESC LIMIT ${MAX_FOUND}`;
}

function writeHas(place: Lookup['in'], text: string): string {
  if (place === 'otherNames') return `position(${OTHER_NAMES}, ${quote(text)}) > 0`;
  return writeContains(place === 'name' ? 'name_key' : 'number_keys', text);
}

/** How many entities have exactly these names. */
function writeSameNames(published: Published, { country }: AskedName, nameKeys: readonly string[]): string {
  const places = nameKeys.map((nameKey) => `(${bucketOf(nameKey)}, ${quote(nameKey)})`);
  const conditions = [`(bucket, name_key) IN (${places.join(', ')})`];
  if (country !== undefined) conditions.push(`country_code = ${quote(country)}`);
  return writeCounts(published, ['name_key'], { others: conditions });
}

/** All names of a small index, some tens of thousands of a large one. */
export async function readNameSample(read: Read, published: Published): Promise<NameSample> {
  const oneOf = Math.max(1, Math.ceil(published.entities / SAMPLED));
  const sql = writeCounts(published, ['name_key'], { others: [`cityHash64(id) % ${oneOf} = 0`] });
  const counts = new Map<string, number>();
  for (const [name, entities] of await read<[name: string, entities: number]>(sql))
    for (const word of ['', ...splitWords(name)]) counts.set(word, (counts.get(word) ?? 0) + entities);
  const count = (word: string) => (counts.get(word) ?? 0) * oneOf;
  return { entities: () => count(''), count };
}

interface Lookup {
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
interface NameSample {
  entities(): number;
  count(word: string): number;
}

/** How many names a sample has, if there are that many. */
const SAMPLED = 50_000;

/** What each look-up returns at most, and all of them together. */
const MAX_PER_LOOKUP = 100;
const MAX_FOUND = 600;
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

function chooseLookups(asked: AskedName, names: NameSample): Lookup[] {
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

/** The candidates with a number that is asked for, then the others by the weights of the words they share with the asked name, with a discount for similar words, as in memory. */
function rankNames(asked: AskedName, found: readonly Found[], sample: NameSample): Found[] {
  const weigh = (word: string) => Math.log(1 + sample.entities() / (sample.count(word) + 0.5));
  const texts = [...new Set([...asked.words, ...asked.joined])].map((text) => text.slice(0, MAX_COMPARED));
  const terms = texts.map((text) => ({ text, isNear: compareWith(Buffer.from(text)), weight: weigh(text), weigh }));
  const scores = found.map((one) => {
    const { names } = one.candidate;
    if (hasNumber(one.candidate, asked.numbers)) return { one, score: Number.POSITIVE_INFINITY, fit: 0 };
    const scored = names.map(({ text }) => scoreName(splitWords(fold(text)), terms));
    return {
      one,
      score: Math.max(...scored.map(({ score }) => score)),
      fit: Math.max(...scored.map(({ fit }) => fit)),
    };
  });
  const good = scores.filter(({ score, fit }) => score > 0 || fit > 0).sort((a, b) => b.score - a.score);
  const fitting = good.toSorted((a, b) => b.fit - a.fit).slice(0, MAX_FITTING);
  const alternating = good.flatMap((one, at) => [one, ...fitting.slice(at, at + 1)]);
  return [...new Set(alternating)].map(({ one }) => one);
}

/** So many names come early because they have few other words: short names inside a long query. */
const MAX_FITTING = 12;

function hasNumber({ entity, numbers }: Candidate, asked: readonly string[]): boolean {
  return asked.some((number) => {
    const vat = readVatNumber(number);
    return numbers.includes(number) || (vat?.country === entity.countryCode && numbers.includes(vat.number));
  });
}

interface WeighedTerm {
  readonly text: string;
  readonly isNear: (word: Uint8Array) => boolean;
  readonly weight: number;
  readonly weigh: (word: string) => number;
}

function compareWith(bytes: Uint8Array): WeighedTerm['isNear'] {
  const edits = bytes.length < MIN_TWO_EDITS ? 1 : 2;
  const countEdits = createEditCounter(bytes.subarray(0, MAX_COMPARED), edits);
  return (word) => countEdits(word, 0, word.length) <= edits;
}

function scoreName(words: readonly string[], terms: readonly WeighedTerm[]): { score: number; fit: number } {
  const encoded = words.map((word) => Buffer.from(word));
  let matched = 0;
  const sum = terms.reduce((total, term) => {
    const share = shareOf(term, words, encoded);
    if (share > 0) matched++;
    return total + term.weight * share;
  }, 0);
  const covered = Math.min(1, matched / Math.max(1, words.length));
  return { score: sum - OTHER_COST * Math.max(0, words.length - terms.length), fit: sum * covered ** 2 };
}

/** How much of the weight of a term a name with these words has, from 0 to 1. */
function shareOf(
  { text, isNear, weight, weigh }: WeighedTerm,
  words: readonly string[],
  encoded: readonly Uint8Array[],
): number {
  if (words.includes(text)) return 1;
  if (text.length >= MIN_START && words.some((word) => word.startsWith(text))) return SIMILAR_SHARE;
  const near = text.length < MIN_SIMILAR ? undefined : words[encoded.findIndex(isNear)];
  // A misspelt word is rare, but says no more than the word that is meant.
  if (near !== undefined) return SIMILAR_SHARE * Math.min(1, weigh(near) / weight);
  // Words that it is joined from.
  const parts = words.filter((word) => word.length > 1 && (text.startsWith(word) || text.endsWith(word)));
  const share = parts.reduce((length, word) => length + word.length, 0) / text.length;
  if (share >= MIN_JOINED_SHARE) return Math.min(share, SIMILAR_SHARE);
  const start = Math.max(0, ...words.map((word) => countSame(word, text)));
  return start < MIN_SIMILAR ? 0 : (SIMILAR_SHARE * start) / text.length;
}

/** How many letters from the start on are the same. */
function countSame(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count++;
  return count;
}

const [MIN_START, MIN_SIMILAR] = [3, 4];
const MIN_TWO_EDITS = 8;
const SIMILAR_SHARE = 0.7;
const MIN_JOINED_SHARE = 0.5;
const OTHER_COST = 0.3;
