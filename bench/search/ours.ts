import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/base/db/open.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { loadIndex, saveIndex } from '../../src/search/memory/index-file.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import type { SearchQuery } from '../../src/search/search.ts';
import { drawQueries, readSamples } from './queries.ts';
import type { Answer } from './store.ts';
import { type ClassTimes, limitFor, time } from './timing.ts';

/** Measures our index in memory. Each function runs in a separate process, so that its memory is that of the index. */

export interface BuildFigures {
  readonly entities: number;
  readonly seconds: number;
  /** All arrays of the index. */
  readonly bytes: number;
  readonly saveSeconds: number;
  readonly fileBytes: number;
  /** Peak resident memory of the building process. */
  readonly peakMegabytes: number;
}

export const fileIn = (folder: string) => join(folder, 'index.bin');

export async function measureBuild(folder: string): Promise<BuildFigures> {
  const started = performance.now();
  const index = await buildIndex({ dataDir: folder, databaseUrl: undefined });
  const built = performance.now();
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;
  await saveIndex(fileIn(folder), index);
  const saved = performance.now();
  return {
    entities: index.entities,
    seconds: (built - started) / 1000,
    bytes: index.bytes,
    saveSeconds: (saved - built) / 1000,
    fileBytes: statSync(fileIn(folder)).size,
    peakMegabytes,
  };
}

export interface AskFigures {
  readonly loadSeconds: number;
  /** Resident memory of the process before and after loading the index, and after all queries. */
  readonly megabytes: { readonly before: number; readonly loaded: number; readonly asked: number };
  readonly classes: readonly ClassTimes[];
}

const OUR_LIMITS = { passes: 100, milliseconds: 1_500, queries: Number.POSITIVE_INFINITY };

export async function measureAnswers(folder: string, rows: number): Promise<AskFigures> {
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  const queryClasses = drawQueries(await readSamples(db, rows), rows);
  await db.close();
  const before = readMegabytes();
  const started = performance.now();
  const index = await loadIndex(fileIn(folder));
  const loadSeconds = (performance.now() - started) / 1000;
  const loaded = readMegabytes();
  if (index === undefined) throw new Error('the index just saved cannot be loaded');
  const engine = createEngine(withoutOverlay(index), { cacheBytes: 0 });
  const classes: ClassTimes[] = [];
  const limits = limitFor(rows, OUR_LIMITS);
  for (const { queries } of queryClasses) {
    const find = (at: number) => engine.find(queries[at] as SearchQuery).body;
    const answers = queries.map((_, at) => readBody(find(at)));
    const { times } = await time(queries.length, (at) => (find(at).length > 0 ? ANSWERED : NOTHING), limits);
    classes.push({ plan: 'memory', answers, times });
  }
  return { loadSeconds, megabytes: { before, loaded, asked: readMegabytes() }, classes };
}

/** Time is measured up to the bytes of the reply. The reply itself was parsed beforehand. */
const ANSWERED: Answer = { total: 1, ids: [] };
const NOTHING: Answer = { total: 0, ids: [] };

export function readBody(body: Uint8Array): Answer {
  const { data, meta } = JSON.parse(new TextDecoder().decode(body));
  return { total: meta.total, ids: data.map(({ id }: { id: string }) => id) };
}

function readMegabytes(): number {
  return process.memoryUsage.rss() / 1024 / 1024;
}
