import { readNames } from '../../src/search/match/name.ts';
import type { BenchOptions } from '../reporting.ts';
import { calibrationError, type Judged, split } from './figures.ts';
import { inventSets } from './invented.ts';
import {
  type Line,
  type Measured,
  type Miss,
  measureCommon,
  measureDistractors,
  measureEmployers,
  measureInvented,
  measurePairs,
  measureVendors,
  toEntries,
} from './lines.ts';
import { drawTypos, listCommonNames, listRenames } from './queries.ts';
import { type Entry, openReference, type Reference } from './reference.ts';
import { type Case, type GocVendors, type PairCase, readGocVendors, readNameBench, readUkEmployers } from './sets.ts';
import { createTrigramRival, type Rival } from './trigrams.ts';

/**
 * `bench match`: how well names are matched, on labelled data that the user has. Weights were tuned on one half of every set only. All
 * lines use the matcher and the index of the product.
 */
export interface MatchFigures {
  readonly lines: readonly (Line & { readonly passed: boolean })[];
  /** Pairs whose label is another one in the register view. */
  readonly changedLabels: readonly PairCase[];
  /** The worst wrong answers of each set. */
  readonly worst: readonly Miss[];
  /** Queries that were not answered in time: they count as queries that found nothing. */
  readonly unanswered: number;
}

/** With distractors every query takes longer, and a sample is enough. */
const DISTRACTOR_QUERIES = 800;
const WORST = 10;

/** The parts of the scoreboard, each with lines of its own. Calibration needs `vendors` and `employers`. */
export const matchParts = ['invented', 'vendors', 'employers', 'distractors', 'pairs', 'common'] as const;
export type MatchPart = (typeof matchParts)[number];

export async function benchMatch(
  data: string,
  { cache, onStep, signal }: BenchOptions,
  only: readonly MatchPart[] = matchParts,
  every = 1,
): Promise<MatchFigures> {
  const some = <T>(items: readonly T[]) => items.filter((_, at) => at % every === 0);
  const vendors = await readGocVendors(data);
  const employers = await readUkEmployers(data);
  const pairs = await readNameBench(data);
  const use = async (
    country: string,
    entries: readonly Entry[],
    work: (reference: Reference, rival: Rival) => Promise<void>,
  ) => {
    signal.throwIfAborted();
    const reference = await openReference(cache, country, entries);
    try {
      await work(reference, createTrigramRival(entries));
    } finally {
      await reference.close();
    }
  };
  const known = vendors.vendors.map((name) => ({ id: name, name }));
  const others = vendors.distractors.map((name, at) => ({ id: `other ${at}`, name }));
  const measured: Measured[] = [];
  const measure = async (part: MatchPart, work: () => Promise<Measured>) => {
    if (!only.includes(part)) return;
    signal.throwIfAborted();
    onStep(part);
    measured.push(await work());
  };
  const isAsked = (...parts: MatchPart[]) => parts.some((part) => only.includes(part));
  if (isAsked('invented')) {
    const { entries, sets } = inventSets();
    const asked = sets.map(({ name, cases }) => ({ name, cases: some(cases) }));
    await use('', entries, (reference, rival) => measure('invented', () => measureInvented(asked, reference, rival)));
  }
  if (isAsked('vendors'))
    await use('CA', known, (reference, rival) =>
      measure('vendors', () => measureVendors(some(vendors.lexical), reference, rival)),
    );
  if (isAsked('employers'))
    await use('GB', toEntries(employers), (reference, rival) =>
      measure('employers', () =>
        measureEmployers(some(drawTypos(employers)), some(listRenames(employers)), reference, rival),
      ),
    );
  if (isAsked('distractors', 'pairs', 'common'))
    await use('CA', [...known, ...others], async (reference, rival) => {
      await measure('distractors', () => measureDistractors(some(takeSome(vendors.lexical)), reference, rival));
      await measure('pairs', () => measurePairs(pairs, reference));
      await measure('common', async () =>
        measureCommon(some(await listCommonNames(data, vendors.vendors)), reference, isSameName),
      );
    });
  const lines = [
    ...measured.flatMap((one) => one.lines),
    ...(isAsked('vendors') && isAsked('employers') ? calibrationLines(measured.flatMap((one) => one.answers)) : []),
  ];
  return {
    lines: lines.map((line) => ({
      ...line,
      passed: line.isAtMost ? line.figures.all <= line.bar : line.figures.all >= line.bar,
    })),
    changedLabels: pairs.filter(({ published, register }) => register !== published),
    worst: measured.flatMap((one) => listWorst(one.misses)),
    unanswered: measured.reduce((sum, one) => sum + one.unanswered, 0),
  };
}

function takeSome(cases: GocVendors['lexical']): Case[] {
  const step = Math.max(1, Math.floor(cases.length / DISTRACTOR_QUERIES));
  return cases.filter((_, at) => at % step === 0);
}

/** Only what was not used for tuning counts. */
function calibrationLines(answers: readonly Judged[]): Line[] {
  const figures = split(answers, calibrationError);
  return [
    {
      name: 'calibration error (held-out half)',
      rival: '–',
      bar: 0.03,
      isAtMost: true,
      figures: { ...figures, all: figures.heldOut },
      cases: answers.filter(({ heldOut }) => heldOut).length,
    },
  ];
}

function isSameName(a: string, b: string): boolean {
  const joined = (text: string) => readNames(text, 'CA').map((name) => name.joined);
  const known = joined(b);
  return joined(a).some((one) => known.includes(one));
}

/** Of each set, those with the highest wrong scores. */
function listWorst(misses: readonly Miss[]): Miss[] {
  const sets = Map.groupBy(misses, ({ set }) => set);
  return [...sets.values()].flatMap((list) => list.sort((a, b) => b.score - a.score).slice(0, WORST));
}
