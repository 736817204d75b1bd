import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/base/db/open.ts';
import type { AskFigures, BuildFigures } from './ours.ts';
import { providePostgres } from './postgres.ts';
import { drawQueries, type QueryClass, readSamples } from './queries.ts';
import type { Rival } from './rival.ts';
import { openSqliteRival } from './sqlite.ts';
import { type ClassTimes, checkAnswers, type Summary, summarize, takeSame, timeRival } from './timing.ts';

/**
 * `bench search`: our index in memory compared with PostgreSQL `pg_trgm` and SQLite FTS5, with the same data and queries,
 * in one run. The comparison favours the rivals: they answer from memory, their rows are stored in result order (impossible
 * for a table that changes), and each class of queries uses the plan that is fastest for it. Our engine runs without its
 * result cache, and its time includes writing the JSON reply; theirs ends when the driver has the rows.
 */
interface SearchBenchOptions {
  readonly rows: number;
  /** Where the data and the rivals' indexes are kept between runs. */
  readonly cache: string;
  readonly rivals: readonly RivalName[];
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export const rivalNames = ['postgres', 'sqlite'] as const;
type RivalName = (typeof rivalNames)[number];

export interface SearchFigures {
  readonly rows: number;
  /** Seconds per step. Steps whose result was kept from an earlier run take almost none. */
  readonly steps: Readonly<Record<string, number>>;
  readonly build: BuildFigures;
  readonly load: Omit<AskFigures, 'classes'>;
  readonly classes: readonly ClassFigures[];
  /** All classes, equally weighted. */
  readonly mixed: ClassFigures;
}

export interface ClassFigures {
  readonly name: string;
  readonly queries: number;
  readonly ours: Summary;
  readonly rivals: Readonly<Partial<Record<RivalName, RivalFigures>>>;
}

export interface RivalFigures extends Summary {
  /** How many queries it answered before its time was up. The ratios compare these queries only. */
  readonly queries: number;
  readonly plan: string;
  readonly medianRatio: number;
  readonly p99Ratio: number;
}

/** Measures our index first, alone. Then builds the rivals' indexes in parallel and queries the rivals one by one. */
export async function benchSearch(options: SearchBenchOptions): Promise<SearchFigures> {
  const { rows, cache, rivals, onStep } = options;
  const folder = join(cache, `search-${rows}`);
  mkdirSync(folder, { recursive: true });
  const done = new AbortController();
  const signal = AbortSignal.any([options.signal, done.signal]);
  const steps: Record<string, number> = {};
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    onStep(name);
    const started = performance.now();
    const result = await work();
    signal.throwIfAborted();
    steps[name] = (performance.now() - started) / 1000;
    return result;
  };
  const runTask = <T>(task: string) => runWorker<T>({ task, folder, rows }, signal);
  const open = async (name: RivalName): Promise<Rival> => {
    if (name === 'postgres') return providePostgres(folder, rows, onStep, signal);
    await runTask('sqlite');
    return openSqliteRival(folder);
  };

  try {
    await step('data', () => runTask('data'));
    const build = await step('our build', () => runTask<BuildFigures>('build'));
    const { classes, ...load } = await step('our answers', () => runTask<AskFigures>('ask'));
    const queryClasses = await readQueries(folder, rows);
    if (rivals.length > 0) await step('listing', () => runTask('listing'));
    const opened = await Promise.all(rivals.map((name) => step(`${name} index`, () => open(name))));
    const theirs = new Map<RivalName, ClassTimes[]>();
    for (const [at, rival] of opened.entries()) {
      const name = rivals[at] as RivalName;
      theirs.set(name, await step(`${name} answers`, () => ask(rival, queryClasses, classes, { ...options, signal })));
      await rival.close();
    }
    const classFigures = queryClasses.map(({ name }, at) => compare(name, classes.slice(at, at + 1), pick(theirs, at)));
    return { rows, steps, build, load, classes: classFigures, mixed: compare('mixed', classes, theirs) };
  } finally {
    // When one rival has failed, this also stops the work of the other.
    done.abort();
  }
}

async function readQueries(folder: string, rows: number): Promise<QueryClass[]> {
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  const queries = drawQueries(await readSamples(db, rows), rows);
  await db.close();
  return queries;
}

async function ask(
  rival: Rival,
  queryClasses: readonly QueryClass[],
  ours: readonly ClassTimes[],
  { rows, onStep, signal }: SearchBenchOptions,
): Promise<ClassTimes[]> {
  const all: ClassTimes[] = [];
  for (const [at, queryClass] of queryClasses.entries()) {
    signal.throwIfAborted();
    onStep(`${rival.name}: ${queryClass.name}`);
    const times = await timeRival(rival, queryClass, rows);
    checkAnswers(queryClass, ours[at] as ClassTimes, times, rival.name);
    all.push(times);
  }
  return all;
}

function pick(theirs: ReadonlyMap<RivalName, ClassTimes[]>, at: number): Map<RivalName, ClassTimes[]> {
  return new Map([...theirs].map(([name, classes]) => [name, classes.slice(at, at + 1)]));
}

function compare(
  name: string,
  ours: readonly ClassTimes[],
  theirs: ReadonlyMap<RivalName, readonly ClassTimes[]>,
): ClassFigures {
  const rivals: Partial<Record<RivalName, RivalFigures>> = {};
  for (const [rival, classes] of theirs) {
    const summary = summarize(classes);
    const same = summarize(ours.map((times, at) => takeSame(times, classes[at] as ClassTimes)));
    rivals[rival] = {
      ...summary,
      queries: countQueries(classes),
      plan: [...new Set(classes.map(({ plan }) => plan))].join(' or '),
      medianRatio: summary.median / same.median,
      p99Ratio: summary.p99 / same.p99,
    };
  }
  return { name, queries: countQueries(ours), ours: summarize(ours), rivals };
}

function countQueries(classes: readonly ClassTimes[]): number {
  return classes.reduce((sum, { times }) => sum + times.length, 0);
}

/** Runs a task of `worker.ts` in a process of its own. */
export async function runWorker<T>(task: object, signal: AbortSignal): Promise<T> {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = spawn(process.execPath, [worker, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const ended = once(child, 'close');
  const [output, [code]] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`the process for ${JSON.stringify(task)} failed`);
  return JSON.parse(output) as T;
}
