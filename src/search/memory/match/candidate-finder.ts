import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import { runWithBreaks } from '../../../base/system/event-loop.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { AskedName, Candidate, CandidateName, Candidates } from '../../match/matching.ts';
import type { IndexPart } from '../answer/engine.ts';
import { createPageWriter } from '../answer/page-writer.ts';
import type { Steps } from '../answer/steps.ts';
import type { IndexState } from '../overlay.ts';
import { has, type Test } from '../sets.ts';
import type { Offsets } from '../shared-arrays.ts';
import { formatId, readName } from '../update/document-order.ts';
import type { Term } from './dictionary.ts';
import type { Ranked } from './match-part.ts';
import { type Budget, type BudgetLimits, LIMITS, MAX_TERMS, RARE, Tally } from './tally.ts';

export type CandidateFinder = ReturnType<typeof createCandidateFinder>;

/** The number of companies with a word in their current name, and the number of all companies. */
export interface WordCounts {
  readonly entities: number;
  count(word: string): number;
}

/**
 * Finds the companies that somebody may mean by a name (`CandidateSource` in `search/match/`), on the calling thread. This folder owns how
 * similar names are found in an index; `search/match/` decides which company is meant. Both engines use this folder: ClickHouse returns some
 * hundred companies, which are indexed and searched here. Each asked word stands for words of the dictionaries (`dictionary.ts`), and for
 * similar words only if no name has all asked words. The weights of these words are added up per document (`tally.ts`): rare words for all
 * documents, frequent words for documents that also have another word. Work is bounded, and other requests get a turn between the steps.
 */
export function createCandidateFinder(
  state: IndexState,
  parts: readonly IndexPart[],
  counts: WordCounts = countIn(parts),
  limits: BudgetLimits = LIMITS,
) {
  /** Unused tallies. Queries that run at the same time use one each. */
  const tallies: Tally[] = [];
  const writer = createPageWriter();
  const writers = parts.map((part) => part.writer);
  const { entities } = counts;
  const countWord = counts.count;
  const weigh = (word: string) => weighCount(countWord(word), entities);

  const isKnown = ({ text }: Term) =>
    parts.some(({ match }) => match.dictionaries.some(({ findExact }) => findExact(text).length > 0));

  /** The asked words, and joined words that occur in a name. */
  function readTerms(asked: AskedName): Term[] {
    const words = [...new Set(asked.words)].filter((text) => text !== '').slice(0, MAX_READ_WORDS);
    const joined = asked.joined.slice(0, MAX_JOINED).filter((text) => countWord(text) > 0);
    return [...toTerms(words, false), ...toTerms(without(joined, words), true)];
  }

  /** Finds other ways to write the words: divided between letters and digits, divided into two words, as initials, or as one word. */
  function spellDifferently(asked: AskedName, terms: readonly Term[]): Term[] {
    const known = terms.map(({ text }) => text);
    const words = asked.words.slice(0, MAX_READ_WORDS).filter((text) => text.length < MAX_DIVIDED);
    const { current } = (parts[0] as IndexPart).match;
    const divided = words.flatMap((text) => {
      const runs = Array.from(text.matchAll(RUNS), ([run]) => run);
      if (runs.length > 1) return runs;
      return text.length < MIN_DIVIDED || countWord(text) > MAX_UNUSUAL ? [] : current.findParts(text);
    });
    return toTerms(without([...divided, ...asked.joined.slice(0, MAX_NEAR_JOINED)], known), true);
  }

  const toTerms = (texts: readonly string[], isOptional: boolean): Term[] =>
    texts.map((text) => ({ text, weight: weigh(text), isOptional, isFrequent: countWord(text) > RARE }));

  /** Creates the test whether a document is in the country and not hidden. */
  function testOf(part: number, country: string | undefined): Test {
    const { arrays, texts } = (parts[part] as IndexPart).index;
    const countryOf = arrays['summary.countryCode'];
    const number = texts.columns.countryCode.indexOf(country ?? '');
    const { live } = (parts[part] as IndexPart).liveSets;
    return (doc) => (live === undefined || has(live, doc)) && (country === undefined || countryOf[doc] === number);
  }

  function* rankNames(asked: AskedName, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const read = readTerms(asked);
    if (read.length === 0) return [];
    // If all words are frequent, one of them may be a typo that makes another word.
    const hasRare = read.some(({ isOptional, isFrequent }) => !isOptional && !isFrequent);
    const terms = hasRare ? read : read.map((term) => ({ ...term, isFrequent: false }));
    // If no company has one of the words exactly, no name has all words.
    if (terms.every((term) => term.isOptional || isKnown(term))) {
      const exact = yield* rank(terms, false, tests, budget);
      if (exact[0]?.isComplete) return exact;
      budget.postings = limits.postings;
    }
    return yield* rank([...terms, ...spellDifferently(asked, terms)], true, tests, budget);
  }

  /** Finds names whose words begin with the letters of the query's only word. */
  function* findInitials({ words }: AskedName, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const [letters = '', ...others] = words;
    if (others.length > 0 || !ACRONYM.test(letters)) return [];
    const found: Found[] = [];
    const score = INITIALS_SHARE * weighCount(0, entities);
    for (const [part, { match }] of parts.entries()) {
      const docs = yield* match.findInitials(letters, MAX_ACRONYMS, tests[part] as Test, budget);
      found.push(...docs.map((doc) => ({ doc, part, score, isComplete: false })));
    }
    return found.slice(0, MAX_ACRONYMS);
  }

  /** Ranks the documents of all parts. Segments come first, because they are small, and the base may use up the budget. */
  function* rank(terms: readonly Term[], near: boolean, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const ranked: Found[] = [];
    const tally = tallies.pop() ?? new Tally();
    for (const part of [...parts.keys()].reverse()) {
      const { match } = parts[part] as IndexPart;
      const found = yield* match.rank(terms.slice(0, MAX_TERMS), near, weigh, tally, tests[part] as Test, budget);
      ranked.push(...found.map((one) => ({ ...one, part })));
      yield;
    }
    tallies.push(tally);
    return ranked.sort((a, b) => b.score - a.score);
  }

  function findNumbers(asked: AskedName, tests: readonly Test[]): Found[] {
    const numbers = asked.numbers.slice(0, MAX_NUMBERS).map((number) => ({ number, vat: readVatNumber(number) }));
    return numbers.flatMap(({ number, vat }) =>
      parts.flatMap(({ match }, part) => {
        const test = tests[part] as Test;
        const ofVat = testOf(part, vat?.country);
        const found = match.findNumber(number, test);
        const byVat = vat === undefined ? [] : match.findNumber(vat.number, (doc) => test(doc) && ofVat(doc));
        return [...found, ...byVat].map((doc) => ({
          doc,
          part,
          score: Number.POSITIVE_INFINITY,
          isComplete: true,
        }));
      }),
    );
  }

  function countSameName({ names }: Candidate, country: string | undefined): number {
    const folded = Buffer.from(fold((names[0] as CandidateName).text));
    return parts.reduce((sum, { match }, part) => {
      const [from, to] = match.findNamed(folded);
      const test = testOf(part, country);
      let count = 0;
      for (let doc = from; doc < Math.min(to, from + MAX_SAME); doc++) if (test(doc)) count++;
      return sum + count;
    }, 0);
  }

  /** Creates a candidate whose fields are read when first needed, because only the names of most candidates are compared. */
  function readCandidate(part: number, doc: number): Candidate {
    const { index, match } = parts[part] as IndexPart;
    const { arrays, texts } = index;
    let id: string | undefined;
    let entity: EntitySummary | undefined;
    let names: CandidateName[] | undefined;
    return {
      postcode: null,
      get id() {
        id ??= formatId(arrays, doc);
        return id;
      },
      get entity() {
        const page = { docs: Uint32Array.of(doc), parts: Uint8Array.of(part) };
        entity ??= JSON.parse(Buffer.from(writer.writeLines(page, writers)).toString()) as EntitySummary;
        return entity;
      },
      get countryCode() {
        return texts.columns.countryCode.at(arrays['summary.countryCode'][doc] as number) as string;
      },
      get names() {
        names ??= [
          { text: Buffer.from(readName(arrays, doc)).toString(), kind: 'current' },
          ...match.listOtherNames(doc),
        ];
        return names;
      },
      /** The numbers without separators: if a number has separators, the form that follows its tab (`numberKeys`). */
      get numbers() {
        const text = readText(arrays.numberText, arrays.numberStarts, doc);
        return text === '' ? [] : text.split('\n').map((line) => line.slice(line.indexOf('\t') + 1));
      },
    };
  }

  function* findInSteps(asked: AskedName): Steps<Candidates> {
    const { country, limit } = asked;
    const budget = { ...limits, isBounded: false };
    if (asked.words.length > MAX_READ_WORDS) budget.isBounded = true;
    const tests = parts.map((_, part) => testOf(part, country));
    const named = yield* rankNames(asked, tests, budget);
    const initials = yield* findInitials(asked, tests, budget);
    const ranked = [...named, ...initials].sort((a, b) => b.score - a.score);
    const found = [...findNumbers(asked, tests), ...ranked];
    const chosen = new Map(found.map((one) => [one.part * 2 ** 32 + one.doc, one])).values().take(limit);
    const same = new Map<Candidate, number>();
    return {
      version: state.version,
      candidates: Array.from(chosen, ({ part, doc }) => readCandidate(part, doc)),
      bounded: budget.isBounded,
      entities,
      frequency: countWord,
      sameName: (one) => same.getOrInsertComputed(one, () => countSameName(one, country)),
    };
  }

  return {
    find: (asked: AskedName): Promise<Candidates> => runWithBreaks(findInSteps(asked)),
    /** Like `find`, in steps with a bounded amount of work. */
    findInSteps,
  };
}

interface Found extends Ranked {
  /** 0 for the base, n for the n-th segment. */
  readonly part: number;
}

/** The maximum number of words, joined words and numbers of a query, and of counted documents with one name. */
const [MAX_READ_WORDS, MAX_JOINED, MAX_NUMBERS, MAX_SAME] = [64, 24, 8, 1_000];
/** The length of words that are divided, and the number of joined words that are also looked up with typos. */
const [MIN_DIVIDED, MAX_DIVIDED, MAX_NEAR_JOINED] = [4, 64, 4];
/** A word of more companies than this is not divided into two words. */
const MAX_UNUSUAL = 50;
/** Words that may be initials (fewer letters stand for too many names), the maximum number of found names, and their share of the weight. */
const [ACRONYM, MAX_ACRONYMS, INITIALS_SHARE] = [/^\p{L}{3,6}$/u, 20, 0.9];
const RUNS = /\p{L}+|\p{N}+/gu;

function countIn(parts: readonly IndexPart[]): WordCounts {
  return {
    entities: parts.reduce((sum, { liveSets }) => sum + liveSets.all.size, 0),
    count: (word) => parts.reduce((sum, { match }) => sum + match.current.count(word), 0),
  };
}

function without(texts: readonly string[], known: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '' && !known.includes(text));
}

function weighCount(documents: number, entities: number): number {
  return Math.log(1 + entities / (documents + 0.5));
}

/** Decodes a text from a view of the bytes, because copying the bytes first takes longer. */
function readText(text: Uint8Array, starts: Offsets, doc: number): string {
  const [from, to] = [starts[doc] as number, starts[doc + 1] as number];
  return Buffer.from(text.buffer, text.byteOffset + from, to - from).toString();
}
