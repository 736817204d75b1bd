import { storedNames, summaryFields } from '../../base/entity-summary.ts';
import { fold } from '../../base/fold.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import { readVatNumber } from '../../registers/vat-numbers.ts';
import type { AskedName, Candidate, CandidateName, CandidateSource, Candidates } from '../match/matching.ts';
import { createEngine } from '../memory/answer/engine.ts';
import { indexChunks } from '../memory/build/build.ts';
import { rowColumns } from '../memory/build/chunk.ts';
import { createCandidateFinder, type WordCounts } from '../memory/match/candidate-finder.ts';
import { withoutOverlay } from '../memory/overlay.ts';
import { splitWords } from '../other-names.ts';
import { NAMED_REGISTRY } from '../store.ts';
import { quote } from './connection.ts';
import { type PageRow, type Read, SUMMARY, summarize, writeCounts, writeFrom } from './query.ts';
import { bucketOf, writeContains } from './schema.ts';
import type { Published } from './store.ts';

type InTurn = <T>(account: string, deadline: Deadline, work: (read: Read) => Promise<T>) => Promise<T>;

/**
 * Finds candidates by several bounded look-ups of the rarest words, pairs of words and halves of words that may be misspelt. The look-ups
 * return at most some hundred companies, of which an index in memory finds the most similar (`memory/match/`). The frequency of a word is
 * estimated from a sample of the names. Both statements read the same publication.
 */
export function createCandidates(
  current: () => Published,
  inTurn: InTurn,
  readSample: () => Promise<WordCounts>,
): CandidateSource {
  return {
    async find(asked, { account, deadline }) {
      const published = current();
      const sample = await readSample();
      const lookups = chooseLookups(asked, sample);
      return inTurn(account, deadline, async (read) => {
        const rows = lookups.length === 0 ? [] : await read<FoundRow>(writeLookups(published, asked, lookups));
        const found = await findSimilar(rows, asked, sample);
        const nameKeys = new Set(found.candidates.map(foldName));
        const sql = writeSameNames(published, asked, [...nameKeys]);
        const same = new Map(nameKeys.size === 0 ? [] : await read<[nameKey: string, entities: number]>(sql));
        const summaries = new Map(rows.map(([summary]) => [summary[ID], summary]));
        return {
          ...found,
          candidates: found.candidates.map((one) => describe(one, summaries.get(one.id) as PageRow[0])),
          version: published.version,
          bounded: rows.length >= limitOf(asked),
          sameName: (one) => same.get(foldName(one)) ?? 1,
        };
      });
    },
  };
}

type FoundRow = readonly [summary: PageRow[0], nameKey: string, numberKeys: string, namedRegistry: string];
const ID = storedNames.indexOf('id');

/** The index of the rows has no codes of activities and legal forms, so the summary comes from the row. */
function describe({ id, countryCode, names, numbers, isAnywhere }: Candidate, summary: PageRow[0]): Candidate {
  return { id, entity: summarize(summary), countryCode, names, numbers, isAnywhere, postcode: null };
}

/** Finds the most similar companies by an index in memory of these rows, with the word frequencies of all companies. */
async function findSimilar(rows: readonly FoundRow[], asked: AskedName, counts: WordCounts): Promise<Candidates> {
  const state = withoutOverlay(await indexChunks('0-0', dumpRows(rows), Number.POSITIVE_INFINITY));
  return createCandidateFinder(state, createEngine(state).parts, counts).find(asked);
}

const foldName = ({ names }: Candidate) => fold((names[0] as CandidateName).text);

/** Writes rows in the format of `Snapshot.dump`, with only the columns that finding a name reads. */
async function* dumpRows(rows: readonly FoundRow[]): AsyncGenerator<Uint8Array> {
  const lines = rows.map(([summary, nameKey, numberKeys, namedRegistry]) => {
    const values = new Map(storedNames.map((name, at) => [summaryFields[name].column as string, summary[at]]));
    values.set('name_key', nameKey).set('number_keys', numberKeys).set(NAMED_REGISTRY, namedRegistry);
    return rowColumns.map((column) => `${values.get(column) ?? ''}\0`).join('');
  });
  yield Buffer.from(lines.join(''));
}

/** With a country, each look-up also runs without the country, to mark the companies that a query without the country finds. */
function writeLookups(published: Published, asked: AskedName, lookups: readonly Lookup[]): string {
  const countries = asked.country === undefined ? [undefined] : [asked.country, undefined];
  const parts = countries.flatMap((wanted) => lookups.map((lookup) => writeLookup(published, lookup, wanted)));
  return `SELECT (any(found) AS one).1, one.2, one.3, one.4 FROM (${parts.join(' UNION ALL ')})
    GROUP BY id ORDER BY count() DESC LIMIT ${limitOf(asked)}`;
}

/** The maximum number of rows that all look-ups return together. */
function limitOf({ country }: AskedName): number {
  return country === undefined ? MAX_FOUND : 2 * MAX_FOUND;
}

function writeLookup(published: Published, lookup: Lookup, country: string | undefined): string {
  const conditions = lookup.all.map((texts) => `(${texts.map((text) => writeHas(lookup.in, text)).join(' OR ')})`);
  if (lookup.start !== undefined) conditions.push(`startsWith(name_key, ${quote(lookup.start)})`);
  for (const one of [country, lookup.country]) if (one !== undefined) conditions.push(`country_code = ${quote(one)}`);
  return `SELECT id, argMaxIf(((${SUMMARY}), name_key, number_keys, named_registry), publication, sign = 1) AS found
    ${writeFrom(published, { others: conditions })}
    GROUP BY id HAVING sum(sign) > 0 LIMIT ${lookup.limit}`;
}

function writeHas(place: Lookup['in'], text: string): string {
  if (place === 'numbers') return writeContains('numbers', text);
  const inName = writeContains('texts', text);
  return place === 'name' ? inName : `${inName} OR ${writeContains('aliases', text)}`;
}

/** Counts the entities that have exactly these names. */
function writeSameNames(published: Published, { country }: AskedName, nameKeys: readonly string[]): string {
  const places = nameKeys.map((nameKey) => `(${bucketOf(nameKey)}, ${quote(nameKey)})`);
  const conditions = [`(bucket, name_key) IN (${places.join(', ')})`];
  if (country !== undefined) conditions.push(`country_code = ${quote(country)}`);
  return writeCounts(published, ['name_key'], { others: conditions });
}

/** Counts words in all names of a small index, or in some tens of thousands of names of a large index. */
export async function readNameSample(read: Read, published: Published): Promise<WordCounts> {
  const oneOf = Math.max(1, Math.ceil(published.entities / SAMPLED));
  const sql = writeCounts(published, ['name_key'], { others: [`cityHash64(id) % ${oneOf} = 0`] });
  const counts = new Map<string, number>();
  for (const [name, entities] of await read<[name: string, entities: number]>(sql))
    for (const word of ['', ...splitWords(name)]) counts.set(word, (counts.get(word) ?? 0) + entities);
  // Words that the sample lacks are rare. Their exact frequency does not matter.
  const count = (word: string) => (counts.get(word) ?? 0) * oneOf;
  return { entities: count(''), count };
}

interface Lookup {
  /** `name` is the current name; `names` are the current, former and other names. */
  readonly in: 'name' | 'names' | 'numbers';
  /** The text contains at least one text of each group. */
  readonly all: readonly (readonly string[])[];
  /** The name begins with this text. */
  readonly start?: string;
  /** A condition besides the country of the query. */
  readonly country?: string;
  readonly limit: number;
}

/** The number of names in a sample; fewer only if the index has fewer names. */
const SAMPLED = 50_000;

/** The maximum number of rows that each look-up returns, and that all look-ups of a query without a country return together. */
const MAX_PER_LOOKUP = 100;
const MAX_FOUND = 600;
/** Looked up are the rarest words of the sample, and the longest words that the sample lacks, which may be rare or misspelt. */
const [MAX_KNOWN, MAX_UNKNOWN] = [3, 3];
const MAX_JOINED = 6;
const MAX_NUMBERS = 4;
const MAX_WORD = 60;
/** The indexes have trigrams. A half of a misspelt word needs a minimum length, and a longer one if the half is looked up alone. */
const MIN_LENGTH = 3;
const [MIN_HALF, MIN_ALONE, MAX_START] = [3, 4, 5];
/** A frequent word alone finds too many names. */
const MAX_ALONE = 0.005;

function chooseLookups(asked: AskedName, names: WordCounts): Lookup[] {
  const lookups: Lookup[] = [];
  const add = (lookup: Omit<Lookup, 'limit'>, limit = MAX_PER_LOOKUP) => lookups.push({ ...lookup, limit });
  for (const number of asked.numbers.slice(0, MAX_NUMBERS)) {
    const vat = readVatNumber(number);
    if (number.length >= MIN_LENGTH) add({ in: 'numbers', all: [[number]] });
    if (vat !== undefined) add({ in: 'numbers', all: [[vat.number]], country: vat.country });
  }
  // Finds names by their start, because a look-up by trigrams cannot find words of one or two letters.
  const start = asked.words.join(' ').slice(0, MAX_WORD);
  if (start !== '') add({ in: 'name', all: [], start });
  const words = chooseWords(asked.words, names);
  if (words.length > 0) {
    add({ in: 'name', all: words.map((word) => [word]) });
    add({ in: 'names', all: words.slice(0, MAX_KNOWN).map((word) => [word]) });
  }
  // Words that no name of the sample has may be misspelt; without such words, the rarest may be.
  const unknown = words.filter((word) => names.count(word) === 0);
  const misspelt = unknown.length > 0 ? unknown : words.slice(0, 2);
  for (const word of words) {
    const others = words.filter((other) => other !== word);
    if (others.length > 0) add({ in: 'name', all: [[word], others] });
    const pieces = misspelt.filter((other) => other !== word).flatMap((other) => listPieces(other, MIN_HALF));
    if (pieces.length > 0) add({ in: 'name', all: [[word], pieces] });
    const count = names.count(word);
    if (count <= names.entities * MAX_ALONE) add({ in: 'name', all: [[word]] });
    if (count === 0 || words.length === 1) add({ in: 'name', all: [listPieces(word, MIN_ALONE)] }, 2 * MAX_PER_LOOKUP);
  }
  for (const joined of asked.joined.slice(0, MAX_JOINED))
    if (joined.length > MIN_LENGTH) add({ in: 'name', all: [[joined.slice(0, MAX_WORD)]] });
  return lookups;
}

function chooseWords(asked: readonly string[], names: WordCounts): string[] {
  const long = [...new Set(asked.map((word) => word.slice(0, MAX_WORD)))].filter((word) => word.length >= MIN_LENGTH);
  const known = long.filter((word) => names.count(word) > 0).sort((a, b) => names.count(a) - names.count(b));
  const unknown = long.filter((word) => names.count(word) === 0).sort((a, b) => b.length - a.length);
  return [...unknown.slice(0, MAX_UNKNOWN), ...known.slice(0, MAX_KNOWN)];
}

/** Parts that a word probably contains even if it is misspelt: both halves, and the start of a long word, which may be two words. */
function listPieces(word: string, least: number): string[] {
  const half = Math.max(least, word.length >> 1);
  return [
    ...new Set([word.slice(0, half), word.slice(-half), ...(half > MAX_START ? [word.slice(0, MAX_START)] : [])]),
  ];
}
