import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_OVERLAY_SHARE } from '../../src/search/memory/memory-search.ts';
import { request, start, stop, WITH_MESSAGES } from '../http/processes.ts';
import { median } from '../median.ts';
import { provideStore, type UpdateStore } from './data.ts';
import type { Imported } from './import-process.ts';
import type { Comparison } from './queries.ts';
import type { Folded, ServeTask, Started, Watched } from './serve-process.ts';

/**
 * `bench update`: how long after its commit an import is served, and what that costs a server. One process follows the
 * store with the search of a server; another one imports parts of a register, as an operator would.
 */
interface UpdateBenchOptions {
  /** Sizes of stores. */
  readonly entities: readonly number[];
  /** Where the stores are kept between runs. */
  readonly cache: string;
  /** How often a small change is measured. */
  readonly rounds: number;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export interface UpdateFigures {
  readonly stores: readonly StoreFigures[];
}

export interface StoreFigures extends Started {
  readonly updates: readonly UpdateMeasurement[];
  readonly fold: FoldMeasurement;
  /** Query times with a full overlay and with the base that replaced it. The last one is that of all classes. */
  readonly queries: readonly Comparison[];
}

/** Medians over the rounds; memory and turns are the maximum. */
interface UpdateMeasurement {
  /** New and changed entities. */
  readonly changes: number;
  readonly rounds: number;
  readonly importSeconds: number;
  /** From the commit to the first answer with the change. */
  readonly servedSeconds: number;
  readonly slowestSeconds: number;
  readonly extraBytes: number;
  readonly longestTurnMs: number;
  readonly longestTurnCpuMs: number;
}

interface FoldMeasurement extends Pick<Folded, 'overlayDocs' | 'idle' | 'folding'> {
  /** From the first answer with the change that started the fold to the first one from the new base. */
  readonly seconds: number;
  readonly extraBytes: number;
  readonly longestTurnMs: number;
  readonly longestTurnCpuMs: number;
}

/** Large changes fill the overlay, so they are measured once. */
const CHANGES: readonly { readonly changes: number; readonly isLarge: boolean }[] = [
  { changes: 10, isLarge: false },
  { changes: 1_000, isLarge: false },
  { changes: 50_000, isLarge: true },
];

export async function benchUpdate(options: UpdateBenchOptions): Promise<UpdateFigures> {
  const { entities, cache, onStep, signal } = options;
  const stores: StoreFigures[] = [];
  for (const rows of entities) {
    const report = (step: string) => onStep(`${rows} entities: ${step}`);
    report('data');
    const store = await provideStore(join(cache, `update-${rows}`), rows, report, signal);
    stores.push(await measureStore(store, rows, { ...options, onStep: report }));
  }
  return { stores };
}

async function measureStore(store: UpdateStore, rows: number, options: UpdateBenchOptions): Promise<StoreFigures> {
  const { onStep, signal } = options;
  // A run starts with a base that was built from all rows and has no overlay.
  rmSync(join(store.folder, 'search.index'), { force: true });
  const program = fileURLToPath(new URL('serve-process.ts', import.meta.url));
  const child = start([program], { core: undefined, signal, stdio: WITH_MESSAGES });
  const ask = async <T>(task: ServeTask): Promise<T> => {
    const reply = await request<{ result: T } | { failure: string }>(child, task);
    if ('failure' in reply) throw new Error(`the process that follows the store failed: ${reply.failure}`);
    return reply.result;
  };
  async function update<T extends Watched>(type: 'watch' | 'watch fold', count: number): Promise<Update<T>> {
    const file = await store.writeChange(count);
    const watching = ask<T>({ type, marker: file.marker });
    watching.catch(() => undefined);
    const imported = await store.import(file);
    return { ...imported, ...(await watching) };
  }

  try {
    onStep('first index');
    const started = await ask<Started>({ type: 'start', dataDir: store.folder, rows });
    const bound = Math.ceil(started.entities * MAX_OVERLAY_SHARE);
    let overlayDocs = 0;
    const updates: UpdateMeasurement[] = [];
    for (const { changes, isLarge } of CHANGES) {
      const rounds = isLarge ? 1 : options.rounds;
      if (overlayDocs + changes * rounds >= bound) continue;
      const measured: Update<Watched>[] = [];
      for (let round = 0; round < rounds; round++) {
        onStep(`change of ${changes}, round ${round + 1}`);
        measured.push(await update('watch', changes));
      }
      overlayDocs = measured.at(-1)?.overlayDocs ?? 0;
      updates.push(summarizeUpdates(measured));
    }
    while (overlayDocs + store.blockSize < bound) {
      onStep(`filling the overlay: ${overlayDocs} of ${bound} documents`);
      ({ overlayDocs } = await update('watch', store.blockSize));
    }
    onStep('fold');
    // A little more than is missing: merged segments leave out documents that changed twice. In a small store, all that
    // changed so far may change again.
    const counted = overlayDocs < store.blockSize ? 0 : overlayDocs;
    const missing = Math.ceil(1.1 * bound) - counted;
    const fold = summarizeFold(await update<Folded>('watch fold', missing));
    onStep('queries');
    return { ...started, updates, fold, queries: await ask<Comparison[]>({ type: 'compare' }) };
  } finally {
    await stop(child);
  }
}

type Update<T extends Watched> = Imported & T;

const toSeconds = ({ servedAt, committedAt }: Update<Watched>) => (servedAt - committedAt) / 1_000;
const maximum = <T>(items: readonly T[], read: (item: T) => number) => Math.max(...items.map(read));

function summarizeUpdates(rounds: readonly Update<Watched>[]): UpdateMeasurement {
  return {
    changes: maximum(rounds, ({ added, changed }) => added + changed),
    rounds: rounds.length,
    importSeconds: median(rounds.map(({ seconds }) => seconds)),
    servedSeconds: median(rounds.map(toSeconds)),
    slowestSeconds: maximum(rounds, toSeconds),
    extraBytes: maximum(rounds, ({ gauged }) => gauged.bytesPeak - gauged.bytesBefore),
    longestTurnMs: maximum(rounds, ({ gauged }) => gauged.longestTurn),
    longestTurnCpuMs: maximum(rounds, ({ gauged }) => gauged.longestTurnCpu),
  };
}

function summarizeFold({ overlayDocs, idle, folding, servedAt, foldedAt, gauged }: Update<Folded>): FoldMeasurement {
  return {
    overlayDocs,
    seconds: (foldedAt - servedAt) / 1_000,
    idle,
    folding,
    extraBytes: gauged.bytesPeak - gauged.bytesBefore,
    longestTurnMs: gauged.longestTurn,
    longestTurnCpuMs: gauged.longestTurnCpu,
  };
}
