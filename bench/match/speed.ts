import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../../src/base/db/open.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { CandidateSource } from '../../src/search/match/matching.ts';
import { loadIndex } from '../../src/search/memory/index-file.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import type { BenchOptions } from '../reporting.ts';
import { runWorker } from '../search/bench.ts';
import { fileIn } from '../search/ours.ts';
import { readSamples } from '../search/queries.ts';
import { isTrial } from '../search/timing.ts';
import { requester } from './figures.ts';
import { type AskedKind, drawAsked } from './speed-queries.ts';
import { readCpu, startTurnWatch } from './turn-watch.ts';

/**
 * `bench match --entities N`: how fast names are matched, with an index of invented companies in memory. Queries run one after another on
 * one thread, up to the JSON of the answer. Other work on the machine changes elapsed times, so CPU time is measured too.
 */
export interface SpeedFigures {
  readonly entities: number;
  readonly queries: number;
  readonly bytesPerEntity: number;
  /** By the CPU time of the process, garbage collection included. */
  readonly perSecondAndCore: number;
  readonly all: Times;
  /** The longest turn of the event loop, in milliseconds of CPU time and elapsed. */
  readonly longestTurn: number;
  readonly longestTurnElapsed: number;
  /** How many queries reached a bound of the work. */
  readonly bounded: number;
  readonly kinds: readonly (Times & { readonly name: string; readonly queries: number; readonly found: number })[];
}

/** Milliseconds. */
interface Times {
  readonly meanCpu: number;
  readonly p50Cpu: number;
  readonly p99Cpu: number;
  readonly p50: number;
  readonly p99: number;
}

const QUERIES = 2_700;
const TRIAL_QUERIES = 90;

export async function benchMatchSpeed(
  entities: number,
  { cache, onStep, signal }: BenchOptions,
): Promise<SpeedFigures> {
  const folder = join(cache, `search-${entities}`);
  mkdirSync(folder, { recursive: true });
  onStep('data');
  await runWorker({ task: 'data', folder, rows: entities }, signal);
  onStep('index');
  const index =
    (await loadIndex(fileIn(folder))) ??
    (await runWorker({ task: 'build', folder }, signal).then(() => loadIndex(fileIn(folder))));
  if (index === undefined) throw new Error('the index just saved cannot be loaded');
  const served = createServedIndex();
  served.use(withoutOverlay(index));
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  const kinds = drawAsked(await readSamples(db, entities), isTrial(entities) ? TRIAL_QUERIES : QUERIES);
  await db.close();
  onStep('queries');
  return { ...(await ask(kinds, served.candidates, signal)), entities, bytesPerEntity: index.bytes / index.entities };
}

interface Answered {
  readonly kind: string;
  readonly cpu: number;
  readonly elapsed: number;
  readonly isFound: boolean;
  readonly isBounded: boolean;
}

/** The kinds take turns, after a first round that only warms up the compiler. */
async function ask(
  kinds: readonly AskedKind[],
  source: CandidateSource,
  signal: AbortSignal,
): Promise<Omit<SpeedFigures, 'entities' | 'bytesPerEntity'>> {
  const matcher = createMatcher(source);
  const rounds = Math.max(...kinds.map(({ asked }) => asked.length));
  const warm = Math.ceil(rounds / 10);
  const answered: Answered[] = [];
  let watch = startTurnWatch();
  let before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    if (round === warm) {
      answered.length = 0;
      watch.stop();
      watch = startTurnWatch();
      before = process.cpuUsage();
    }
    for (const { name: kind, asked } of kinds) {
      const one = asked[round];
      if (one === undefined) continue;
      await nextTurn();
      const [started, cpu] = [performance.now(), readCpu()];
      const { answer } = await matcher.match(one.query, requester);
      JSON.stringify(answer);
      const isFound = answer.candidates.some(({ entity }) => entity.canonicalName === one.meant);
      answered.push({
        kind,
        cpu: readCpu() - cpu,
        elapsed: performance.now() - started,
        isFound,
        isBounded: answer.bounded,
      });
    }
  }
  const used = process.cpuUsage(before);
  const turns = watch.stop();
  return {
    queries: answered.length,
    perSecondAndCore: (answered.length * 1e6) / (used.user + used.system),
    all: summarize(answered),
    ...turns,
    bounded: answered.filter(({ isBounded }) => isBounded).length,
    kinds: kinds.map(({ name }) => {
      const own = answered.filter(({ kind }) => kind === name);
      return { name, queries: own.length, found: own.filter(({ isFound }) => isFound).length, ...summarize(own) };
    }),
  };
}

function summarize(answered: readonly Answered[]): Times {
  const cpu = answered.map((one) => one.cpu).sort((a, b) => a - b);
  const elapsed = answered.map((one) => one.elapsed).sort((a, b) => a - b);
  const at = (sorted: readonly number[], share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    meanCpu: cpu.reduce((sum, one) => sum + one, 0) / Math.max(1, cpu.length),
    p50Cpu: at(cpu, 0.5),
    p99Cpu: at(cpu, 0.99),
    p50: at(elapsed, 0.5),
    p99: at(elapsed, 0.99),
  };
}
