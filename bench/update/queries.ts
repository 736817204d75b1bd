import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/search/memory/answer/engine.ts';
import type { SearchQuery } from '../../src/search/search.ts';
import type { QueryClass } from '../search/queries.ts';
import { type ClassTimes, type Limits, type Summary, summarize, time } from '../search/timing.ts';

/** Query times, of two engines with the same data or of one engine while something else runs. */
export interface Comparison {
  readonly name: string;
  readonly overlay: Summary;
  readonly base: Summary;
}

const ROUNDS = 3;
export const COMPARE_LIMITS: Limits = { passes: 30, milliseconds: 250, queries: Number.POSITIVE_INFINITY };
const ANSWERED = { total: 0, ids: [] };

/**
 * Both engines must give the same bytes. They take turns, so that a busy moment of the machine affects both. The last
 * comparison is that of all classes, equally weighted.
 */
export async function compareEngines(
  classes: readonly QueryClass[],
  engines: { readonly overlay: Engine; readonly base: Engine },
  limits: Limits,
): Promise<Comparison[]> {
  const all: { name: string; overlay: ClassTimes; base: ClassTimes }[] = [];
  for (const { name, queries } of classes) {
    for (const query of queries) checkSame(query, engines.overlay, engines.base);
    const times = { overlay: queries.map((): number[] => []), base: queries.map((): number[] => []) };
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of ['overlay', 'base'] as const) {
        const ask = (at: number) => {
          engines[side].find(queries[at] as SearchQuery);
          return ANSWERED;
        };
        const timed = await time(queries.length, ask, limits);
        for (const [at, values] of timed.times.entries()) times[side][at]?.push(...values);
      }
    }
    const describe = (side: 'overlay' | 'base'): ClassTimes => ({ plan: side, answers: [], times: times[side] });
    all.push({ name, overlay: describe('overlay'), base: describe('base') });
  }
  const summarizeBoth = (name: string, some: typeof all) => ({
    name,
    overlay: summarize(some.map(({ overlay }) => overlay)),
    base: summarize(some.map(({ base }) => base)),
  });
  return [...all.map((one) => summarizeBoth(one.name, [one])), summarizeBoth('mixed', all)];
}

function checkSame(query: SearchQuery, overlay: Engine, base: Engine): void {
  const [first, second] = [overlay, base].map((engine) => Buffer.from(engine.find(query).body));
  if (first?.equals(second as Buffer)) return;
  throw new Error(`overlay and base differ for ${JSON.stringify(query)}:\n${first}\n${second}`);
}

/** Leaves the core to the rest of the process, as a server with little load does. */
const PAUSE_MS = 2;

/** Asks one query of each class in turn, with a pause after each, until stopped. The times still have to be summarized, which takes long. */
export async function timeMixed(
  classes: readonly QueryClass[],
  find: (query: SearchQuery) => unknown,
  isOver: () => boolean,
): Promise<ClassTimes[]> {
  const times = classes.map(({ queries }) => queries.map((): number[] => []));
  for (let turn = 0; !isOver(); turn++) {
    const [of, at] = [turn % classes.length, Math.floor(turn / classes.length)];
    const { queries } = classes[of] as QueryClass;
    const started = performance.now();
    find(queries[at % queries.length] as SearchQuery);
    times[of]?.[at % queries.length]?.push((performance.now() - started) * 1_000);
    await sleep(PAUSE_MS);
  }
  const asked = times.map((each) => each.filter(({ length }) => length > 0)).filter(({ length }) => length > 0);
  return asked.map((each) => ({ plan: '', answers: [], times: each }));
}
