import type { EntitySummary } from '../../../core/entity-summary.ts';
import { fold } from '../../../core/fold.ts';
import type { AskedName, Candidate, CandidateName, Candidates } from '../../../matching/candidates.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { Part } from '../answer/engine.ts';
import { createPageWriter } from '../answer/page-writer.ts';
import type { IndexState } from '../overlay.ts';
import { has } from '../sets.ts';
import type { Budget, Ranked, Term } from './part-finder.ts';
import { MAX_TERMS, Tally } from './tally.ts';

/**
 * Finds the companies that somebody may mean by a name (`matching/candidates.ts`), on the calling thread. This folder owns how similar
 * names are found in the index; which of them is meant is decided in `matching/`. The steps of a query:
 *
 * 1. `word-finder.ts` finds the words of the vocabulary that each asked word may stand for. Near words (`word-shapes.ts`,
 *    `edit-distance.ts`) are looked for only if no name has all words as they are.
 * 2. `part-finder.ts` adds up the weights of the words per document (`tally.ts`), from the shortest lists. Long lists are only
 *    intersected, and words without a list only break ties. The best documents are then compared word by word.
 * 3. Only the documents that are returned are described.
 * The work of a query is bounded. `word-counts.ts` counts how many documents have a word.
 */
export interface CandidateFinder {
  find(asked: AskedName): Candidates;
}

export function createCandidateFinder(state: IndexState, parts: readonly Part[]): CandidateFinder {
  const tally = new Tally();
  const writer = createPageWriter();
  const writers = parts.map((part) => part.writer);
  const lives = [state.overlay?.live, ...(state.overlay?.segments ?? []).map(({ live }) => live)];

  const countWord = (word: string, country?: string) =>
    parts.reduce((sum, part) => sum + part.match.counts.count(word, country), 0);

  const countEntities = (country: string | undefined) =>
    parts.reduce((sum, { sets, liveSets }) => {
      const set = country === undefined ? undefined : sets.findCountry(country);
      return sum + (country === undefined ? liveSets.all.size : set === undefined ? 0 : liveSets.of(set).size);
    }, 0);

  function readTerms(asked: AskedName, entities: number): Term[] {
    const toTerms = (texts: readonly string[], isJoined: boolean) =>
      texts.map((text) => ({ bytes: Buffer.from(text), weight: weigh(countWord(text), entities), isJoined }));
    const words = [...new Set(asked.words)].filter((text) => text !== '').slice(0, MAX_READ_WORDS);
    const joined = asked.joined.slice(0, MAX_JOINED).filter((text) => !words.includes(text) && countWord(text) > 0);
    const terms = [...toTerms(words, false), ...toTerms(joined, true)];
    if (terms.length <= MAX_TERMS) return terms;
    const lowest = terms.map(({ weight }) => weight).sort((a, b) => b - a)[MAX_TERMS - 1] as number;
    return terms.filter(({ weight }) => weight >= lowest).slice(0, MAX_TERMS);
  }

  /** Whether a document is of the country and not hidden. */
  function testOf(source: number, country: string | undefined): (doc: number) => boolean {
    const { arrays, texts } = (parts[source] as Part).index;
    const countryOf = arrays['summary.countryCode'];
    const number = texts.columns.countryCode.indexOf(country ?? '');
    const live = lives[source];
    if (live === undefined) return country === undefined ? () => true : (doc) => countryOf[doc] === number;
    return (doc) => has(live, doc) && (country === undefined || countryOf[doc] === number);
  }

  function rankNames(terms: readonly Term[], tests: readonly Test[], budget: Budget): Found[] {
    const rank = (near: boolean) =>
      parts
        .flatMap(({ match }, source) => {
          const test = tests[source] as Test;
          const spell = (term: Term) => spellings(term, near);
          return [
            ...match.finder.rank(terms, tally, test, budget, near),
            ...match.otherNames.rank(terms, tally, test, budget, spell),
          ].map((ranked) => ({ ...ranked, source }));
        })
        .sort((a, b) => b.score - a.score);
    if (terms.length === 0) return [];
    const exact = rank(false);
    return exact[0]?.isComplete ? exact : rank(true);
  }

  /** A term and similar words, to look for in former names, whose words are not in the vocabulary. */
  function* spellings({ bytes }: Term, near: boolean): Generator<readonly [text: string, share: number]> {
    yield [Buffer.from(bytes).toString(), 1];
    const { finder } = (parts[0] as Part).match;
    if (near) for (const { word, share } of finder.words.findNear(bytes)) yield [finder.textOf(word), share];
  }

  function findNumbers(asked: AskedName, tests: readonly Test[]): Found[] {
    const numbers = asked.numbers.slice(0, MAX_NUMBERS).map((number) => ({ number, vat: readVatNumber(number) }));
    return numbers.flatMap(({ number, vat }) =>
      parts.flatMap(({ match }, source) => {
        const test = tests[source] as Test;
        const ofVat = testOf(source, vat?.country);
        const found = match.finder.findNumber(number, test);
        const byVat = vat === undefined ? [] : match.finder.findNumber(vat.number, (doc) => test(doc) && ofVat(doc));
        return [...found, ...byVat].map((doc) => ({ doc, source, score: Number.POSITIVE_INFINITY, isComplete: true }));
      }),
    );
  }

  function describe(found: readonly Found[]): Candidate[] {
    const docs = Uint32Array.from(found, ({ doc }) => doc);
    const sources = Uint8Array.from(found, ({ source }) => source);
    const body = writer.write({ docs, sources }, writers, '{}');
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: EntitySummary[] };
    return data.map((entity, at) => {
      const { doc, source } = found[at] as Found;
      const part = parts[source] as Part;
      const current: CandidateName = { text: entity.canonicalName, kind: 'current' };
      const names = [current, ...part.match.otherNames.read(doc)];
      return { entity, names, numbers: readNumbers(part, doc), postcode: null };
    });
  }

  function countSameName(name: string, country: string | undefined): number {
    const folded = Buffer.from(fold(name));
    return parts.reduce((sum, { match }, source) => {
      const [from, to] = match.finder.findNamed(folded, true);
      const test = testOf(source, country);
      let count = 0;
      for (let doc = from; doc < Math.min(to, from + MAX_SAME); doc++) if (test(doc)) count++;
      return sum + count;
    }, 0);
  }

  return {
    find(asked) {
      const { country, limit } = asked;
      const budget: Budget = { postings: MAX_POSTINGS, bounded: asked.words.length > MAX_READ_WORDS };
      const tests = parts.map((_, source) => testOf(source, country));
      const terms = readTerms(asked, countEntities(undefined));
      const found = [...findNumbers(asked, tests), ...rankNames(terms, tests, budget)];
      const best = found.find(({ score }) => Number.isFinite(score));
      const enough = best === undefined ? 0 : best.score * (best.isComplete ? CLEAR_SHARE : MIN_SHARE);
      const chosen = takeDistinct(found.filter(({ score }) => score >= enough)).slice(0, limit);
      return {
        version: state.version,
        candidates: describe(chosen),
        bounded: budget.bounded,
        entities: countEntities(country),
        frequency: (word) => countWord(word, country),
        sameName: ({ entity }) => countSameName(entity.canonicalName, country),
      };
    },
  };
}

interface Found extends Ranked {
  /** 0 for the base, n for the n-th segment. */
  readonly source: number;
}

type Test = (doc: number) => boolean;

/** What a query may read: documents in lists, words, joined words, numbers; and how many documents of one name are counted. */
const [MAX_POSTINGS, MAX_READ_WORDS, MAX_JOINED, MAX_NUMBERS, MAX_SAME] = [200_000, 64, 24, 8, 1_000];
/** Documents with a lower share of the best score are left out: more of them if the best one has all words. */
const MIN_SHARE = 0.45;
const CLEAR_SHARE = 0.65;

function weigh(documents: number, entities: number): number {
  return Math.log(1 + entities / (documents + 0.5));
}

function takeDistinct(found: readonly Found[]): Found[] {
  return [...new Map(found.map((one) => [one.source * 2 ** 32 + one.doc, one])).values()];
}

/** Without separators: of a number that has some, the form that follows a tab (`numberKeys`). */
function readNumbers({ index }: Part, doc: number): string[] {
  const { numberText, numberStarts } = index.arrays;
  const text = Buffer.from(numberText.slice(numberStarts[doc], numberStarts[doc + 1])).toString();
  return text === '' ? [] : text.split('\n').map((line) => line.slice(line.indexOf('\t') + 1));
}
