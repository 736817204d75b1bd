import { Failure } from '../../src/base/errors.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { CandidateSource, Matcher } from '../../src/search/match/matching.ts';
import { MATCH_SCORE } from '../../src/search/match/weights.ts';
import {
  ask,
  bestF1,
  f1At,
  type Halves,
  type Judged,
  recallAtPrecision,
  requester,
  shareOf,
  split,
} from './figures.ts';
import type { InventedSet } from './invented.ts';
import type { Entry, Reference } from './reference.ts';
import type { Case, PairCase, UkEmployer } from './sets.ts';
import type { Rival } from './trigrams.ts';

/** A line of the scoreboard. Figures are shares, unless the name says otherwise. */
export interface Line {
  readonly name: string;
  readonly rival: string;
  readonly bar: number;
  readonly isAtMost?: boolean;
  readonly figures: Halves;
  readonly cases: number;
}

/** A wrong answer, for the list of the worst. */
export interface Miss {
  readonly set: string;
  readonly asked: string;
  readonly wanted: string;
  readonly got: string;
  readonly score: number;
}

export interface Measured {
  readonly lines: readonly Line[];
  readonly answers: readonly Judged[];
  readonly misses: readonly Miss[];
  /** Queries that the engine did not answer in time. */
  readonly unanswered: number;
}

/** Pairs of names, scored like a query with one candidate. How rare words are comes from the reference. */
export async function measurePairs(pairs: readonly PairCase[], reference: Reference): Promise<Measured> {
  const found = await reference.source.find(
    { words: [], joined: [], numbers: [], country: undefined, limit: 1 },
    requester,
  );
  const scored: (PairCase & { readonly score: number })[] = [];
  for (const pair of pairs) {
    const entity = { ...EMPTY, id: 'x', canonicalName: pair.known };
    const names = [{ text: pair.known, kind: 'current' as const }];
    const { id, countryCode } = entity;
    const candidates = [{ id, entity, countryCode, names, numbers: [], isAnywhere: true, postcode: null }];
    const source: CandidateSource = { find: () => ({ ...found, candidates, bounded: false, sameName: () => 1 }) };
    const answer = await ask(createMatcher(source), { name: pair.asked });
    scored.push({ ...pair, score: answer.candidates[0]?.score ?? 0 });
  }
  const register = scored.flatMap((pair) => (pair.register === undefined ? [] : { ...pair, right: pair.register }));
  const published = scored.map((pair) => ({ ...pair, right: pair.published }));
  const line = (
    name: string,
    rival: string,
    bar: number,
    items: readonly Judged[],
    measure: (items: readonly Judged[]) => number,
  ): Line => {
    return { name, rival, bar, figures: split(items, measure), cases: items.length };
  };
  const strong = register.filter(({ strong }) => strong);
  return {
    lines: [
      line('name_bench, register view: best F1', '0.885 logic-v2', 0.93, register, bestF1),
      line('name_bench, register view: recall at precision ≥ 0.95', '0.555 logic-v2', 0.8, register, (items) =>
        recallAtPrecision(items, 0.95),
      ),
      line('name_bench, as published: F1 at our threshold', '0.865 logic-v2', 0.86, published, (items) =>
        f1At(items, MATCH_SCORE),
      ),
      {
        ...line(
          'name_bench, register view: errors among STRONG pairs',
          '1 of 18',
          0,
          strong,
          (items) => items.filter(isWrong).length,
        ),
        isAtMost: true,
      },
    ],
    answers: [],
    misses: register.filter(isWrong).map(({ asked, known, score, right }) => ({
      set: 'name_bench',
      asked,
      wanted: right ? known : 'another',
      got: right ? 'another' : known,
      score,
    })),
    unanswered: 0,
  };
}

const EMPTY = {
  countryCode: '',
  register: null,
  registrationNumber: null,
  jurisdiction: null,
  isic: null,
  status: 'active',
  legalForm: null,
  city: null,
  registeredAt: null,
  elf: null,
  legalFormClass: null,
  updatedAt: '',
};

function isWrong({ score, right }: Judged): boolean {
  return score >= MATCH_SCORE !== right;
}

interface Answered extends Case {
  /** The position of the truth, from 0; -1 if it is not among the first five; and the same of the rival. */
  readonly place: number;
  readonly rival: number;
  readonly score: number;
  readonly match: boolean;
  readonly got: string;
  readonly isAnswered: boolean;
}

async function answerAll(
  cases: readonly Case[],
  country: string,
  idOf: Reference['idOf'],
  matcherFor: (one: Case) => Matcher,
  rival: Rival = () => [],
): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const one of cases) {
    const query = { name: one.name, country: one.country ?? country };
    const answer = await ask(matcherFor(one), query).catch(acceptTimeout);
    const candidates = answer?.candidates ?? [];
    const ids = candidates.map(({ entity }) => idOf.get(entity.id));
    const [first] = candidates;
    answered.push({
      ...one,
      place: ids.indexOf(one.truth),
      rival: rival(one.name).indexOf(one.truth),
      score: first?.score ?? 0,
      match: first?.match ?? false,
      got: first?.entity.canonicalName ?? '',
      isAnswered: answer !== undefined,
    });
  }
  return answered;
}

/** A query that takes too long counts as one that found nothing. */
function acceptTimeout(error: unknown): undefined {
  if (!(error instanceof Failure && error.code === 'service_unavailable')) throw error;
}

const countUnanswered = (answered: readonly Answered[]) => answered.filter(({ isAnswered }) => !isAnswered).length;

const toJudged = (answered: readonly Answered[]): Judged[] =>
  answered.map(({ place, score, heldOut }) => ({ score, heldOut, right: place === 0 }));

/** How much better than the rival we want to be, first and among the first five. Where there is no room for it, `bars` count alone. */
const MARGINS = [0.04, 0.015] as const;

/** The share of companies that are found, first and among the first five, beside the rival's on the same queries. */
function recallLines(set: string, found: readonly Answered[], bars: readonly [first: number, five: number]): Line[] {
  return [1, 5].map((places, at) => {
    const isFound = (place: number) => place >= 0 && place < places;
    const rival = shareOf(found, (one) => isFound(one.rival));
    const wanted = rival + (MARGINS[at] as number);
    return {
      name: `${set}: recall@${places}`,
      rival: `${rival.toFixed(3)} TF-IDF 3-grams`,
      bar: wanted > 1 ? (bars[at] as number) : Math.max(bars[at] as number, Number(wanted.toFixed(3))),
      figures: split(found, (items) => shareOf(items, ({ place }) => isFound(place))),
      cases: found.length,
    };
  });
}

/** Sets that are made by rules. */
export async function measureInvented(
  sets: readonly InventedSet[],
  reference: Reference,
  rival: Rival,
): Promise<Measured> {
  const matcher = createMatcher(reference.source);
  const lines: Line[] = [];
  const misses: Miss[] = [];
  let unanswered = 0;
  for (const { name, cases } of sets) {
    const found = await answerAll(cases, '', reference.idOf, () => matcher, rival);
    lines.push(...recallLines(name, found, [0, 0]));
    misses.push(...listMisses(name, found));
    unanswered += countUnanswered(found);
  }
  return { lines, answers: [], misses, unanswered };
}

/** Vendors of the Government of Canada, without distractors: ranks, precision, and queries whose vendor is missing. */
export async function measureVendors(cases: readonly Case[], reference: Reference, rival: Rival): Promise<Measured> {
  const matcher = createMatcher(reference.source);
  const found = await answerAll(cases, 'CA', reference.idOf, () => matcher, rival);
  const absent = await answerAll(cases, 'CA', reference.idOf, ({ truth }) => createMatcher(reference.without(truth)));
  const count = { cases: cases.length };
  const matches = found.filter(({ match }) => match);
  return {
    lines: [
      ...recallLines('goc-vendors, lexical', found, [0.95, 0.99]),
      {
        name: 'goc-vendors: precision of match',
        rival: '–',
        bar: 0.98,
        figures: split(matches, (items) => shareOf(items, ({ place }) => place === 0)),
        cases: matches.length,
      },
      {
        name: 'goc-vendors, truth absent: false matches',
        rival: '–',
        bar: 0.02,
        isAtMost: true,
        figures: split(absent, (items) => shareOf(items, ({ match }) => match)),
        ...count,
      },
    ],
    // One query of three has no company, as an assumption about what people ask.
    answers: [...toJudged(found), ...toJudged(absent.filter((_, at) => at % 2 === 0))],
    misses: [
      ...listMisses('goc-vendors', found),
      ...listMisses(
        'goc-vendors, truth absent',
        absent.filter(({ match }) => match),
      ),
    ],
    unanswered: countUnanswered([...found, ...absent]),
  };
}

/** The same among distractors, which contain unlabelled spellings of the vendors: so only recall@5 counts. */
export async function measureDistractors(
  cases: readonly Case[],
  reference: Reference,
  rival: Rival,
): Promise<Measured> {
  const matcher = createMatcher(reference.source);
  const found = await answerAll(cases, 'CA', reference.idOf, () => matcher, rival);
  return {
    lines: recallLines('goc-vendors with distractors', found, [0, 0.92]).slice(1),
    answers: [],
    misses: listMisses(
      'goc-vendors with distractors',
      found.filter(({ place }) => place < 0),
    ),
    unanswered: countUnanswered(found),
  };
}

export function toEntries(employers: readonly UkEmployer[]): Entry[] {
  return employers.map(({ number, name, former }) => ({ id: number, name, former, number }));
}

/** Employers of the United Kingdom: current names with one typo, and the names that they had before. */
export async function measureEmployers(
  typos: readonly Case[],
  renames: readonly Case[],
  reference: Reference,
  rival: Rival,
): Promise<Measured> {
  const matcher = createMatcher(reference.source);
  const found = await answerAll(typos, 'GB', reference.idOf, () => matcher, rival);
  const former = await answerAll(renames, 'GB', reference.idOf, () => matcher, rival);
  return {
    lines: [
      ...recallLines('uk-employers, one typo', found, [0.99, 0.99]),
      ...recallLines('uk-employers, former name', former, [0.95, 0.95]),
    ],
    answers: [...toJudged(found), ...toJudged(former)],
    misses: [...listMisses('uk-employers, one typo', found), ...listMisses('uk-employers, former name', former)],
    unanswered: countUnanswered([...found, ...former]),
  };
}

/** Names of legal forms and of common words only: a match is right only if the name is the same. */
export async function measureCommon(
  names: readonly string[],
  reference: Reference,
  isSame: (a: string, b: string) => boolean,
): Promise<Measured> {
  const cases = names.map((name) => ({ name, truth: '', heldOut: false }));
  const matcher = createMatcher(reference.source);
  const answered = await answerAll(cases, 'CA', reference.idOf, () => matcher);
  const wrong = answered.filter(({ name, got, match }) => match && !isSame(name, got));
  const figures = { tuning: wrong.length, heldOut: wrong.length, all: wrong.length };
  return {
    lines: [
      {
        name: 'forms and common words only: wrong matches',
        rival: 'all (watchman)',
        bar: 0,
        isAtMost: true,
        figures,
        cases: names.length,
      },
    ],
    answers: [],
    misses: listMisses('common words', wrong),
    unanswered: countUnanswered(answered),
  };
}

function listMisses(set: string, answered: readonly Answered[]): Miss[] {
  return answered
    .filter(({ place }) => place !== 0)
    .map(({ name, truth, got, score }) => ({ set, asked: name, wanted: truth, got, score }));
}
