import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import { runWithBreaks } from '../../../base/system/event-loop.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { AskedName, Candidate, CandidateName, Candidates } from '../../match/matching.ts';
import type { IndexPart } from '../answer/engine.ts';
import { createPageWriter } from '../answer/page-writer.ts';
import type { Steps } from '../answer/steps.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import type { Offsets } from '../shared-arrays.ts';
import { readId } from '../update/document-order.ts';
import type { Ranked, Term } from './match-part.ts';
import { type Budget, type BudgetLimits, LIMITS, MAX_TERMS, RARE, Tally } from './tally.ts';

export type CandidateFinder = ReturnType<typeof createCandidateFinder>;

/** How many companies have a word in their current name, and how many there are. */
export interface WordCounts {
  readonly entities: number;
  count(word: string): number;
}

/**
 * Finds the companies that somebody may mean by a name (`CandidateSource` in `search/match/`), on the calling thread. This folder owns how
 * similar names are found in an index; which of them is meant is decided in `search/match/`. Both engines use it: ClickHouse brings some
 * hundred companies, and an index of these is asked here. Each asked word stands for words of the dictionaries (`dictionary.ts`), near ones
 * only if no name has all words as they are. Then what they count is added up per document (`tally.ts`), rare words for all documents,
 * frequent ones for documents that have another word too. The work of a query is bounded, and other requests get a turn between the steps.
 */
export function createCandidateFinder(
  state: IndexState,
  parts: readonly IndexPart[],
  counts: WordCounts = countIn(parts),
  limits: BudgetLimits = LIMITS,
) {
  /** For queries that run at the same time. */
  const tallies: Tally[] = [];
  const writer = createPageWriter();
  const writers = parts.map((part) => part.writer);
  const { entities } = counts;
  const countWord = counts.count;
  const weigh = (word: string) => weighCount(countWord(word), entities);

  const isKnown = ({ text }: Term) =>
    parts.some(({ match }) => match.dictionaries.some(({ findExact }) => findExact(text).length > 0));

  /** The asked words, and joined words that are in a name. */
  function readTerms(asked: AskedName): Term[] {
    const words = [...new Set(asked.words)].filter((text) => text !== '').slice(0, MAX_READ_WORDS);
    const joined = asked.joined.slice(0, MAX_JOINED).filter((text) => countWord(text) > 0);
    const terms = toTerms(words, false);
    return [...terms, ...toTerms(without(joined, words), true).map((term) => addWeights(term, terms))];
  }

  /** Other ways to write the words: divided where letters and digits meet, in two words, as initials, or as one word. */
  function spellDifferently(asked: AskedName, terms: readonly Term[]): Term[] {
    const known = terms.map(({ text }) => text);
    const words = asked.words.slice(0, MAX_READ_WORDS).filter((text) => text.length < MAX_DIVIDED);
    const { current } = (parts[0] as IndexPart).match;
    const divided = words.flatMap((text) => {
      const runs = Array.from(text.matchAll(RUNS), ([run]) => run);
      if (runs.length > 1) return runs;
      return text.length < MIN_DIVIDED || countWord(text) > MAX_UNUSUAL ? [] : current.findParts(text);
    });
    const initials = words.find((text) => text.length > 1 && text.length <= MAX_INITIALS) ?? '';
    const others = toTerms(without([...divided, ...asked.joined.slice(0, MAX_NEAR_JOINED)], known), true);
    const letters = toTerms(without([...initials], known), true);
    return [...others, ...letters.map((term) => ({ ...term, weight: term.weight * INITIAL_SHARE }))];
  }

  const toTerms = (texts: readonly string[], isOptional: boolean): Term[] =>
    texts.map((text) => ({ text, weight: weigh(text), isOptional, isFrequent: countWord(text) > RARE }));

  /** Whether a document is of the country and not hidden. */
  function testOf(part: number, country: string | undefined): (doc: number) => boolean {
    const { arrays, texts } = (parts[part] as IndexPart).index;
    const countryOf = arrays['summary.countryCode'];
    const number = texts.columns.countryCode.indexOf(country ?? '');
    const { live } = (parts[part] as IndexPart).liveSets;
    if (live === undefined) return country === undefined ? () => true : (doc) => countryOf[doc] === number;
    return (doc) => has(live, doc) && (country === undefined || countryOf[doc] === number);
  }

  function* rankNames(asked: AskedName, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const read = readTerms(asked);
    if (read.length === 0) return [];
    // Of several frequent words, one may be a typo that makes another word.
    const hasRare = read.some(({ isOptional, isFrequent }) => !isOptional && !isFrequent);
    const terms = hasRare ? read : read.map((term) => ({ ...term, isFrequent: false }));
    // If no company has a word as it is written, no name has all words.
    if (terms.every((term) => term.isOptional || isKnown(term))) {
      const exact = yield* rank(takeRarest(terms), false, tests, budget);
      if (exact[0]?.isComplete) return exact;
      budget.postings = limits.postings;
    }
    return yield* rank(takeRarest([...terms, ...spellDifferently(asked, terms)]), true, tests, budget);
  }

  /** Names whose words begin with the letters of the only word that is asked for. */
  function* findInitials({ words }: AskedName, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const [letters = '', ...others] = words;
    if (others.length > 0 || !ACRONYM.test(letters)) return [];
    const found: Found[] = [];
    const score = INITIALS_SHARE * weighCount(0, entities);
    for (const [part, { match }] of parts.entries()) {
      const docs = yield* match.findInitials(letters, MAX_ACRONYMS, tests[part] as Test, budget);
      found.push(...docs.map((doc) => ({ doc, part, score, fit: score, isComplete: false })));
    }
    return found.slice(0, MAX_ACRONYMS);
  }

  /** Segments come first: they are small, and the base may use up the budget. */
  function* rank(terms: readonly Term[], near: boolean, tests: readonly Test[], budget: Budget): Steps<Found[]> {
    const ranked: Found[] = [];
    const tally = tallies.pop() ?? new Tally();
    for (const part of [...parts.keys()].reverse()) {
      const { match } = parts[part] as IndexPart;
      const found = yield* match.rank(terms, near, weigh, tally, tests[part] as Test, budget);
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
          fit: 0,
          isComplete: true,
        }));
      }),
    );
  }

  /** Documents with the name of a candidate are beside it; in other parts they are looked up. */
  function countSameName({ doc, part }: Found, { names }: Candidate, country: string | undefined): number {
    const folded = parts.length > 1 ? Buffer.from(fold((names[0] as CandidateName).text)) : undefined;
    return parts.reduce((sum, { match }, at) => {
      const isOwn = at === part || folded === undefined;
      const [from, to] = isOwn ? match.findSameNamed(doc, MAX_SAME) : match.findNamed(folded, true, MAX_SAME);
      const test = testOf(at, country);
      let count = 0;
      for (let same = from; same < to; same++) if (test(same)) count++;
      return sum + count;
    }, 0);
  }

  /** Of most candidates only the names are compared, so everything is read when it is first asked for. */
  function readCandidate(part: number, doc: number): Candidate {
    const { index, match } = parts[part] as IndexPart;
    const { arrays, texts } = index;
    let entity: EntitySummary | undefined;
    let names: CandidateName[] | undefined;
    return {
      postcode: null,
      get id() {
        const hex = Buffer.from(readId(arrays, doc)).toString('hex');
        return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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
        names ??= [{ text: readName(index, doc), kind: 'current' }, ...match.listOtherNames(doc)];
        return names;
      },
      /** Without separators: of a number that has some, the form that follows a tab (`numberKeys`). */
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
    const found = takeDistinct([...findNumbers(asked, tests), ...ranked]);
    const chosen = choose(found, limit);
    const places = new Map(chosen.map((one) => [readCandidate(one.part, one.doc), one]));
    return {
      version: state.version,
      candidates: [...places.keys()],
      bounded: budget.isBounded,
      entities,
      frequency: countWord,
      sameName: (one) => countSameName(places.get(one) as Found, one, country),
    };
  }

  return {
    find: (asked: AskedName): Promise<Candidates> => runWithBreaks(findInSteps(asked)),
    /** The same in steps, each of which does a bounded amount of work. */
    findInSteps,
  };
}

interface Found extends Ranked {
  /** 0 for the base, n for the n-th segment. */
  readonly part: number;
}

type Test = (doc: number) => boolean;

/** What a query may have: words, joined words, numbers; and how many documents of one name are counted. */
const [MAX_READ_WORDS, MAX_JOINED, MAX_NUMBERS, MAX_SAME] = [64, 24, 8, 1_000];
/** How long words are that are divided, and initials; how many joined words may be misspelt; what initials count. */
const [MIN_DIVIDED, MAX_DIVIDED, MAX_INITIALS, MAX_NEAR_JOINED, INITIAL_SHARE] = [4, 64, 3, 4, 0.3];
/** A word that more companies have is not two words. */
const MAX_UNUSUAL = 50;
/** Words that may stand for several, and how many names they are looked for in: fewer letters stand for too many. */
const [ACRONYM, MAX_ACRONYMS, INITIALS_SHARE] = [/^\p{L}{3,6}$/u, 20, 0.9];
const RUNS = /\p{L}+|\p{N}+/gu;
/** How many documents are returned because they fit, whatever their score is. */
const MAX_FITTING = 12;

function choose(found: readonly Found[], limit: number): Found[] {
  const good = found.filter(({ score }) => score > 0).slice(0, limit);
  const fitting = found.filter(({ fit }) => fit > 0).sort((a, b) => b.fit - a.fit);
  const alternating = good.flatMap((one, at) => [one, ...fitting.slice(0, MAX_FITTING).slice(at, at + 1)]);
  return [...new Set(alternating)].slice(0, limit);
}

function countIn(parts: readonly IndexPart[]): WordCounts {
  return {
    entities: parts.reduce((sum, { liveSets }) => sum + liveSets.all.size, 0),
    count: (word) => parts.reduce((sum, { match }) => sum + match.current.count(word), 0),
  };
}

function without(texts: readonly string[], known: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '' && !known.includes(text));
}

/** A joined word counts like the words that it is joined from. */
function addWeights(joined: Term, terms: readonly Term[]): Term {
  const { text } = joined;
  for (let from = 0; from < terms.length; from++) {
    let start = '';
    let weight = 0;
    for (let to = from; start.length < text.length && to < terms.length; to++) {
      start += (terms[to] as Term).text;
      weight += (terms[to] as Term).weight;
      if (start === text) return { ...joined, weight: Math.max(weight, joined.weight) };
    }
  }
  return joined;
}

/** The asked words come first, then the rarest. */
function takeRarest(terms: readonly Term[]): Term[] {
  if (terms.length <= MAX_TERMS) return [...terms];
  const rank = ({ weight, isOptional }: Term) => weight - (isOptional ? 1_000 : 0);
  const lowest = terms.map(rank).sort((a, b) => b - a)[MAX_TERMS - 1] as number;
  return terms.filter((term) => rank(term) >= lowest).slice(0, MAX_TERMS);
}

function weighCount(documents: number, entities: number): number {
  return Math.log(1 + entities / (documents + 0.5));
}

function takeDistinct(found: readonly Found[]): Found[] {
  return [...new Map(found.map((one) => [one.part * 2 ** 32 + one.doc, one])).values()];
}

/** The index has the text of a JSON string. */
function readName({ arrays }: SearchIndex, doc: number): string {
  const written = readText(arrays['summary.canonicalName.text'], arrays['summary.canonicalName.starts'], doc);
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}

/** A view, because copying bytes first takes longer. */
function readText(text: Uint8Array, starts: Offsets, doc: number): string {
  const [from, to] = [starts[doc] as number, starts[doc + 1] as number];
  return Buffer.from(text.buffer, text.byteOffset + from, to - from).toString();
}
