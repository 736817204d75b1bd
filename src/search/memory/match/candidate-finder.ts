import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import { runWithBreaks } from '../../../base/system/event-loop.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { AskedName, Candidate, CandidateName, Candidates } from '../../match/matching.ts';
import type { IndexPart } from '../answer/index-part.ts';
import { createPageWriter } from '../answer/page-writer.ts';
import type { Steps } from '../answer/steps.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import { positionOf } from '../shared-arrays.ts';
import { formatId, readName } from '../update/document-order.ts';
import type { Weigh } from './match-part.ts';
import {
  type Budget,
  type BudgetLimits,
  LIMITS,
  MAX_TERMS,
  RARE,
  type Ranked,
  type Scope,
  Tally,
  type Term,
} from './tally.ts';

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
  counts?: WordCounts,
  limits: BudgetLimits = LIMITS,
) {
  /** Unused tallies. Queries that run at the same time use one each. */
  const tallies: Tally[] = [];
  const writer = createPageWriter();
  const writers = parts.map((part) => part.writer);
  const { entities, count: countWord } = counts ?? countIn(parts);
  const weighText = (text: string) => weighCount(countWord(text), entities);
  /** The base has nearly all documents of a word, and looking up the text of each similar word would take longer than all other work. */
  const weighInBase: Weigh = (documents) => weighCount(documents, entities);
  const weighByText: Weigh = (_documents, textOf) => weighText(textOf());

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
    const joined = asked.joined.slice(0, MAX_NEAR_JOINED);
    // A space may be in the wrong place: `axau k` is joined to `axauk`, which is divided into `axa uk`.
    const moved = joined.flatMap((text) => (text.length > MAX_MOVED ? [] : current.findPairs(text)));
    return toTerms(without([...divided, ...joined, ...moved], known), true);
  }

  const toTerms = (texts: readonly string[], isOptional: boolean): Term[] =>
    texts.map((text) => ({ text, weight: weighText(text), isOptional, isFrequent: countWord(text) > RARE }));

  function scopeOf({ index, liveSets: { live } }: IndexPart, country: string | undefined): Scope {
    const accepts = (doc: number) => live === undefined || has(live, doc);
    if (country === undefined) return { accepts, wants: undefined };
    const countryOf = index.arrays['summary.countryCode'];
    const number = index.texts.columns.countryCode.indexOf(country);
    return { accepts, wants: (doc) => countryOf[doc] === number };
  }

  function* rankNames(asked: AskedName, scopes: readonly Scope[], budget: Budget): Steps<Names> {
    const read = readTerms(asked);
    if (read.length === 0) return { anywhere: [], wanted: [] };
    // If all words are frequent, one of them may be a typo that makes another word.
    const hasRare = read.some(({ isOptional, isFrequent }) => !isOptional && !isFrequent);
    const terms = hasRare ? read : read.map((term) => ({ ...term, isFrequent: false }));
    // A single word of a longer name may still be a misspelt or shortened name.
    const isEnough = ([best]: readonly Found[]) =>
      best?.isComplete === true && (terms.length > 1 || best.score >= best.sum * WHOLE_SHARE);
    let exact: Names | undefined;
    // If no company has one of the words exactly, no name has all words, and this word is misspelt rather than the others.
    const isUnknown = (term: Term) => !term.isOptional && !isKnown(term);
    const hasUnknown = terms.some(isUnknown);
    if (!hasUnknown) {
      exact = yield* rank(terms, false, scopes, budget);
      if (isEnough(exact.wanted)) return exact;
      budget.postings = limits.postings;
    }
    const doubtful = hasUnknown ? terms.map((term) => ({ ...term, isFrequent: !isUnknown(term) })) : terms;
    const near = yield* rank([...doubtful, ...spellDifferently(asked, terms)], true, scopes, budget);
    return exact !== undefined && isEnough(exact.anywhere) ? { ...near, anywhere: exact.anywhere } : near;
  }

  /** Finds names whose words begin with the letters of the query's only word. */
  function* findInitials({ words }: AskedName, scopes: readonly Scope[], budget: Budget): Steps<Names> {
    const [letters = '', ...others] = words;
    const found: Found[] = [];
    if (others.length > 0 || !ACRONYM.test(letters)) return { anywhere: [], wanted: [] };
    const score = INITIALS_SHARE * weighCount(0, entities);
    for (const [part, { match }] of parts.entries()) {
      const docs = yield* match.findInitials(letters, scopes[part] as Scope, budget);
      found.push(...docs.map((doc) => ({ doc, part, score, sum: score, isComplete: false, isAnywhere: true })));
    }
    return {
      anywhere: found.slice(0, MAX_ACRONYMS),
      wanted: found.filter(isWantedIn(scopes)).slice(0, MAX_ACRONYMS),
    };
  }

  /** Ranks the documents of all parts. Segments come first, because they are small, and the base may use up the budget. */
  function* rank(terms: readonly Term[], near: boolean, scopes: readonly Scope[], budget: Budget): Steps<Names> {
    const ranked: Found[] = [];
    const tally = tallies.pop() ?? new Tally();
    for (const part of [...parts.keys()].reverse()) {
      const { match } = parts[part] as IndexPart;
      const weigh = part === 0 && counts === undefined ? weighInBase : weighByText;
      const found = yield* match.rank(terms.slice(0, MAX_TERMS), near, weigh, tally, scopes[part] as Scope, budget);
      ranked.push(...found.map((one) => ({ ...one, part })));
      yield;
    }
    tallies.push(tally);
    ranked.sort((a, b) => b.score - a.score);
    return { anywhere: ranked.filter(({ isAnywhere }) => isAnywhere), wanted: ranked.filter(isWantedIn(scopes)) };
  }

  function findNumbers(asked: AskedName, scopes: readonly Scope[]): Place[] {
    const numbers = asked.numbers.slice(0, MAX_NUMBERS).map((number) => ({ number, vat: readVatNumber(number) }));
    return numbers.flatMap(({ number, vat }) =>
      parts.flatMap((one, part) => {
        const { accepts, wants } = scopes[part] as Scope;
        const isWanted = (doc: number) => accepts(doc) && wants?.(doc) !== false;
        const { wants: isOfVat } = scopeOf(one, vat?.country);
        const found = one.match.findNumber(number, isWanted);
        const byVat =
          vat === undefined ? [] : one.match.findNumber(vat.number, (doc) => isWanted(doc) && isOfVat?.(doc) === true);
        return [...found, ...byVat].map((doc) => ({
          doc,
          part,
          score: Number.POSITIVE_INFINITY,
          sum: 0,
          isComplete: true,
        }));
      }),
    );
  }

  function countSameName({ names }: Candidate, scopes: readonly Scope[]): number {
    const folded = Buffer.from(fold((names[0] as CandidateName).text));
    return parts.reduce((sum, { match }, part) => {
      const [from, to] = match.findNamed(folded);
      const { accepts, wants } = scopes[part] as Scope;
      let count = 0;
      for (let doc = from; doc < Math.min(to, from + MAX_SAME); doc++)
        if (accepts(doc) && wants?.(doc) !== false) count++;
      return sum + count;
    }, 0);
  }

  /** The entity and the numbers are read when first needed, because only the names of most candidates are compared. */
  function readCandidate(part: number, doc: number, isAnywhere: boolean): Candidate {
    const { index, match } = parts[part] as IndexPart;
    const { arrays, texts } = index;
    let entity: EntitySummary | undefined;
    const name: CandidateName = { text: Buffer.from(readName(arrays, doc)).toString(), kind: 'current' };
    return {
      id: formatId(arrays, doc),
      countryCode: texts.columns.countryCode.at(arrays['summary.countryCode'][doc] as number) as string,
      names: [name, ...match.listOtherNames(doc)],
      isAnywhere,
      postcode: null,
      get entity() {
        const page = { docs: Uint32Array.of(doc), parts: Uint8Array.of(part) };
        entity ??= JSON.parse(Buffer.from(writer.writeLines(page, writers)).toString()) as EntitySummary;
        return entity;
      },
      /** The numbers without separators: if a number has separators, the form that follows its tab (`numberKeys`). */
      get numbers() {
        const text = readNumbers(index, doc);
        return text === '' ? [] : text.split('\n').map((line) => line.slice(line.indexOf('\t') + 1));
      },
    };
  }

  function* findInSteps(asked: AskedName): Steps<Candidates> {
    const { country, limit } = asked;
    const budget = { ...limits, isBounded: false };
    if (asked.words.length > MAX_READ_WORDS) budget.isBounded = true;
    const scopes = parts.map((part) => scopeOf(part, country));
    const named = yield* rankNames(asked, scopes, budget);
    const initials = yield* findInitials(asked, scopes, budget);
    const numbered = findNumbers(asked, scopes);
    const choose = (of: keyof Names) => {
      const ranked = [...named[of], ...initials[of]].sort((a, b) => b.score - a.score);
      const least = (ranked[0]?.score ?? 0) * LEAST_SHARE;
      const similar = ranked.filter(({ score }, at) => at < MANY || score >= least);
      return new Map([...numbered, ...similar].slice(0, limit).map((one) => [keyOf(one), one]));
    };
    const anywhere = choose('anywhere');
    const chosen = country === undefined ? anywhere : choose('wanted');
    const same = new Map<Candidate, number>();
    return {
      version: state.version,
      candidates: Array.from(chosen, ([key, { part, doc }]) => readCandidate(part, doc, anywhere.has(key))),
      bounded: budget.isBounded,
      entities,
      frequency: countWord,
      sameName: (one) => same.getOrInsertComputed(one, () => countSameName(one, scopes)),
    };
  }

  return {
    find: (asked: AskedName): Promise<Candidates> => runWithBreaks(findInSteps(asked)),
    /** Like `find`, in steps with a bounded amount of work. */
    findInSteps,
  };
}

/** A document of a part. */
interface Place {
  /** 0 for the base, n for the n-th segment. */
  readonly part: number;
  readonly doc: number;
}

interface Found extends Ranked, Place {}

/** The documents of all countries, as a query without a country finds them, and the documents of the country, each the best first. */
interface Names {
  readonly anywhere: readonly Found[];
  readonly wanted: readonly Found[];
}

const isWantedIn =
  (scopes: readonly Scope[]) =>
  ({ part, doc }: Place) =>
    scopes[part]?.wants?.(doc) !== false;

const keyOf = ({ part, doc }: Place) => part * 2 ** 32 + doc;

/** The maximum number of words, joined words and numbers of a query, and of counted documents with one name. */
const [MAX_READ_WORDS, MAX_JOINED, MAX_NUMBERS, MAX_SAME] = [64, 24, 8, 1_000];
/** The length of words that are divided, and the number of joined words that are also looked up with typos. */
const [MIN_DIVIDED, MAX_DIVIDED, MAX_NEAR_JOINED] = [4, 64, 2];
/** In a longer name, words that the moved space does not touch find the company. */
const MAX_MOVED = 12;
/** A word of more companies than this is not divided into two words. */
const MAX_UNUSUAL = 50;
/** With this many better candidates, a candidate needs this share of the best score: in the sets of `bench match`, hardly another one was meant. */
const [MANY, LEAST_SHARE] = [15, 0.4];
/** A name with this share of its score besides other words is the asked name and, perhaps, a legal form. */
const WHOLE_SHARE = 0.85;
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
function readNumbers({ arrays: { numberText, numberStarts, numberSteps } }: SearchIndex, doc: number): string {
  const from = positionOf(numberStarts, numberSteps, doc);
  return Buffer.from(numberText.buffer, from, positionOf(numberStarts, numberSteps, doc + 1) - from).toString();
}
