import { isDeepStrictEqual } from 'node:util';
import type { SearchQuery } from '../../src/search/search.ts';
import type { QueryClass } from './queries.ts';
import type { Rival } from './rival.ts';
import type { Answer } from './store.ts';

/** The times of one engine for the queries of one class. A slow engine may have run only the first of them. */
export interface ClassTimes {
  readonly plan: string;
  readonly answers: readonly Answer[];
  /** Microseconds, one list per query. */
  readonly times: readonly (readonly number[])[];
}

export interface Summary {
  /** Microseconds. */
  readonly median: number;
  readonly p99: number;
  /** Over all single times, including every interruption. */
  readonly p99Single: number;
}

export interface Limits {
  /** How often each query runs, if there is time. */
  readonly passes: number;
  readonly milliseconds: number;
  /** How many queries run at least, however long they take. */
  readonly queries: number;
}

/** Fewer rows say nothing about speed: such a run shows that the benchmark works. */
const MIN_ROWS = 100_000;

export function isTrial(rows: number): boolean {
  return rows < MIN_ROWS;
}

export function limitFor(rows: number, limits: Limits): Limits {
  return isTrial(rows) ? { ...limits, passes: Math.min(limits.passes, 2) } : limits;
}

/** Runs the queries in turn, so that none benefits from running twice in a row. */
export async function time(
  asked: number,
  ask: (index: number) => Answer | Promise<Answer>,
  { passes, milliseconds, queries }: Limits,
): Promise<Omit<ClassTimes, 'plan'>> {
  const times: number[][] = [];
  const answers: Answer[] = [];
  const end = performance.now() + milliseconds;
  for (let pass = 0; pass < passes; pass++) {
    for (let index = 0; index < (pass === 0 ? asked : times.length); index++) {
      if (performance.now() > end && (pass > 0 || index >= queries)) return { times, answers };
      const started = performance.now();
      const answer = ask(index);
      // A synchronous answer must not wait for a turn of the event loop.
      answers[index] = answer instanceof Promise ? await answer : answer;
      const microseconds = (performance.now() - started) * 1000;
      if (pass === 0) times.push([microseconds]);
      else times[index]?.push(microseconds);
    }
  }
  return { times, answers };
}

const TRIAL: Limits = { passes: 1, milliseconds: 1_000, queries: 2 };
const TRIED = 6;
const RIVAL_LIMITS: Limits = { passes: 5, milliseconds: 4_000, queries: 6 };

/** Tries some queries with each plan, which also warms up the rival, then runs all of them with the faster plan. */
export async function timeRival(rival: Rival, { queries }: QueryClass, rows: number): Promise<ClassTimes> {
  const ask = (plan: string) => (index: number) => rival.ask(queries[index] as SearchQuery, plan);
  const trials: { plan: string; times: ClassTimes['times'] }[] = [];
  for (const plan of rival.plans) {
    await ask(plan)(0);
    trials.push({ plan, ...(await time(Math.min(TRIED, queries.length), ask(plan), TRIAL)) });
  }
  const compared = Math.min(...trials.map(({ times }) => times.length));
  // Compares logarithms, so that one slow query does not outweigh many fast ones.
  const cost = ({ times }: (typeof trials)[number]) =>
    times.slice(0, compared).reduce((sum, [microseconds = 0]) => sum + Math.log(microseconds), 0);
  const { plan } = trials.reduce((best, trial) => (cost(trial) < cost(best) ? trial : best));
  return { plan, ...(await time(queries.length, ask(plan), limitFor(rows, RIVAL_LIMITS))) };
}

/**
 * Every class has the same weight, and so does every query of a class. A query counts with the median of its times: a busy
 * machine interrupts a query of 20 µs for milliseconds, which says nothing about the query. `p99Single` includes those
 * interruptions.
 */
export function summarize(classes: readonly ClassTimes[]): Summary {
  const queries: Weighted[] = [];
  const single: Weighted[] = [];
  for (const { times } of classes) {
    const weight = 1 / (classes.length * times.length);
    for (const all of times) {
      const each = all.map((value) => ({ value, weight: weight / all.length }));
      single.push(...each);
      queries.push({ value: findPercentile(each, 0.5), weight });
    }
  }
  return {
    median: findPercentile(queries, 0.5),
    p99: findPercentile(queries, 0.99),
    p99Single: findPercentile(single, 0.99),
  };
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

function findPercentile(values: Weighted[], share: number): number {
  values.sort((a, b) => a.value - b.value);
  const whole = values.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const { value, weight } of values) {
    sum += weight;
    if (sum >= share * whole * (1 - 1e-9)) return value;
  }
  return values.at(-1)?.value ?? Number.NaN;
}

/** Our times of the queries that the rival ran too. */
export function takeSame(ours: ClassTimes, theirs: ClassTimes): ClassTimes {
  return { ...ours, times: ours.times.slice(0, theirs.times.length) };
}

/** Throws unless both engines returned the same total and page for every query that both ran. */
export function checkAnswers({ name, queries }: QueryClass, ours: ClassTimes, theirs: ClassTimes, rival: string): void {
  // Rivals do not find words in Latin letters of other alphabets, and rank in another way or not at all.
  if (queries.some(({ words }) => words !== '')) return;
  for (const [index, answer] of theirs.answers.entries()) {
    const expected = ours.answers[index];
    if (isDeepStrictEqual(expected, answer)) continue;
    throw new Error(
      `${name}: ${rival} and our engine differ for ${JSON.stringify(queries[index])}:\n` +
        `ours   ${JSON.stringify(expected)}\ntheirs ${JSON.stringify(answer)}`,
    );
  }
}
