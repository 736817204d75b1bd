import type { Queries } from '../../src/base/db/db.ts';
import { parseActivityKey } from '../../src/base/search-keys.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import type { SearchQuery } from '../../src/search/search.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { readSample, type Sample } from './store.ts';

/** Queries of one kind, in random order, so that the first n of them are a fair sample. */
export interface QueryClass {
  readonly name: string;
  readonly queries: readonly SearchQuery[];
}

const QUERIES = 30;
const PAGE_SIZE = 25;
const SAMPLES = 20_000;

/** Reads samples spread evenly over the store. */
export async function readSamples(db: Queries, rows: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const count = Math.min(rows, SAMPLES);
  for (let index = 0; index < count; index++) {
    const sample = await readSample(db, Math.floor((index * rows) / count) + 1);
    if (sample !== undefined) samples.push(sample);
  }
  return samples;
}

/** Draws queries from the data itself, the same for the same data. */
export function drawQueries(samples: readonly Sample[], rows: number): QueryClass[] {
  const chance = createChance(4_711);
  const sample = () => chance.pick(samples);
  const words = countWords(samples);
  const common = [...words.keys()].filter((word) => /^\p{L}{3,}$/u.test(word)).slice(0, 40);
  const rareWord = () =>
    until(
      () => chance.pick(wordsOf(sample())),
      (word) => isRare(word, words),
    );
  const anyPart = (length: number) => () =>
    until(
      () => cut(sample().nameKey, length, chance),
      (text) => /^[\p{L}\p{N}]+$/u.test(text),
    );
  const broad = () => ({ q: chance.is(0.5) ? chance.pick(common.slice(0, 12)) : anyPart(chance.between(1, 2))() });
  const deep = (query: Partial<SearchQuery>) => ({ ...query, page: pickPage(estimate(query, samples, rows), chance) });

  /** Words of one name in any order, some of them only their beginning. */
  const drawWords = (count: number) => {
    const words = wordsOf(sample());
    const drawn = Array.from({ length: count }, () => chance.pick(words));
    return { words: drawn.map((word) => (chance.is(0.7) ? word : word.slice(0, 4))).join(' ') };
  };

  return [
    { name: 'rare fragment', draw: () => ({ q: cut(rareWord(), chance.between(4, 8), chance) }) },
    { name: 'common word', draw: () => ({ q: chance.pick(common) }) },
    { name: '1 letter', draw: () => ({ q: anyPart(1)() }) },
    { name: '2 letters', draw: () => ({ q: anyPart(2)() }) },
    { name: '3 letters', draw: () => ({ q: anyPart(3)() }) },
    { name: 'two words', draw: () => ({ q: drawPair(sample(), chance) }) },
    { name: 'number fragment', draw: () => ({ q: cut(digitsOf(sample()), chance.between(3, 8), chance) }) },
    { name: 'country', draw: () => ({ country: sample().countryCode, page: chance.between(1, 40) }) },
    { name: 'legal form', draw: () => ({ legalForm: sample().legalForm, page: chance.between(1, 4) }) },
    { name: 'activity', draw: () => drawActivity(sample(), chance) },
    { name: 'filters with q', draw: () => drawCombination(sample(), chance, [...common.slice(0, 12), anyPart(3)()]) },
    { name: 'deep page', draw: () => deep(chance.is(0.7) ? broad() : drawFilter(sample(), chance)) },
    { name: '1 word', draw: () => drawWords(1) },
    { name: '2 words', draw: () => drawWords(2) },
    { name: '3 words', draw: () => drawWords(3) },
    { name: 'frequent words', draw: () => ({ words: [chance.pick(common), chance.pick(common)].join(' ') }) },
    { name: 'deep page of all', draw: () => ({ page: pickPage(rows, chance) }) },
  ].map(({ name, draw }) => ({ name, queries: drawDistinct(draw) }));
}

/** Returns fewer queries if the data is too small for so many distinct ones. */
function drawDistinct(draw: () => Partial<SearchQuery>): SearchQuery[] {
  const queries = new Map<string, SearchQuery>();
  for (let tries = 0; queries.size < QUERIES && tries < QUERIES * 20; tries++) {
    const query = toSearchQuery({ ...BASICS, ...draw() } as Parameters<typeof toSearchQuery>[0]);
    queries.set(JSON.stringify(query), query);
  }
  return [...queries.values()];
}

const BASICS = { pageSize: PAGE_SIZE };
export const EVERYTHING: SearchQuery = toSearchQuery(BASICS);

/** Counts words, most frequent first. */
function countWords(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const sample of samples) {
    for (const word of wordsOf(sample)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

function wordsOf({ nameKey }: Sample): string[] {
  return nameKey.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

function isRare(word: string, counts: ReadonlyMap<string, number>): boolean {
  return word.length >= 6 && (counts.get(word) ?? 0) <= 1;
}

function until<T>(draw: () => T, test: (value: T) => boolean): T {
  for (let tries = 0; tries < 10_000; tries++) {
    const value = draw();
    if (test(value)) return value;
  }
  throw new Error('the data is too small to draw this kind of query from it');
}

function cut(text: string, length: number, chance: Chance): string {
  const start = chance.between(0, Math.max(0, text.length - length));
  return text.slice(start, start + length);
}

function digitsOf({ numberKeys }: Sample): string {
  return /\d{6,}/.exec(numberKeys)?.[0] ?? '000000';
}

/** Two neighbouring words, complete or only the parts around the space, such as "s l" of "services limited". */
function drawPair({ nameKey }: Sample, chance: Chance): string {
  const words = nameKey.split(' ');
  const first = chance.between(0, Math.max(0, words.length - 2));
  const [left = '', right = ''] = words.slice(first, first + 2);
  if (right === '' || chance.is(0.7)) return `${left} ${right}`.trim();
  return `${left.slice(-chance.between(1, 3))} ${right.slice(0, chance.between(1, 3))}`.trim();
}

function drawActivity({ activityKeys }: Sample, chance: Chance): Partial<SearchQuery> {
  const activities = activityKeys.split('\n').flatMap((key) => parseActivityKey(key) ?? []);
  const { type, value } = chance.pick(activities);
  return { activity: value, activityType: type };
}

function drawFilter(sample: Sample, chance: Chance): Partial<SearchQuery> {
  return chance.is(0.5) ? { country: sample.countryCode } : { legalForm: sample.legalForm };
}

function drawCombination(sample: Sample, chance: Chance, fragments: readonly string[]): Partial<SearchQuery> {
  const q = chance.is(0.5) ? cut(sample.nameKey, chance.between(2, 6), chance).trim() : chance.pick(fragments);
  if (chance.is(0.3)) return { q, ...drawActivity(sample, chance) };
  const country = { q, country: sample.countryCode };
  return chance.is(0.5) ? { ...country, legalForm: sample.legalForm } : country;
}

/** Picks a page in the middle or near the end. */
function pickPage(total: number, chance: Chance): number {
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  return Math.max(1, Math.floor(pages * (chance.is(0.5) ? 0.3 + 0.4 * chance.next() : 1 - 0.02 * chance.next())));
}

/** Estimates the number of hits from the samples, which is good enough to find the middle. */
function estimate(
  { q = '', country, legalForm }: Partial<SearchQuery>,
  samples: readonly Sample[],
  rows: number,
): number {
  const hits = samples.filter(
    (sample) =>
      (country === undefined || sample.countryCode === country) &&
      (legalForm === undefined || sample.legalForm === legalForm) &&
      (sample.nameKey.includes(q) || sample.numberKeys.includes(q)),
  );
  return (hits.length * rows) / samples.length;
}
