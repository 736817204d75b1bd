import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Value } from '../../src/base/db/db.ts';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { findServerFolder, type PostgresServer, preparePostgresServer } from '../local-postgres.ts';
import { isDone, markDone } from './data.ts';
import { type Rival, toCriteria } from './rival.ts';
import { openListing } from './sqlite.ts';
import { askPostgres, indexPostgres, loadPostgres, type PostgresPlan, readListing, warmPostgres } from './store.ts';

/** PostgreSQL with `pg_trgm`, tuned to answer from memory with all cores. */

const CORES = String(availableParallelism());
const MEGABYTE = 1024 * 1024;

const SETTINGS = {
  shared_buffers: `${Math.floor(Math.min(0.3 * totalmem(), 6 * 1024 * MEGABYTE) / MEGABYTE)}MB`,
  effective_cache_size: `${Math.floor((0.6 * totalmem()) / MEGABYTE)}MB`,
  work_mem: '256MB',
  maintenance_work_mem: `${Math.floor(Math.min(0.1 * totalmem(), 2 * 1024 * MEGABYTE) / MEGABYTE)}MB`,
  max_worker_processes: '16',
  max_parallel_workers: CORES,
  max_parallel_workers_per_gather: CORES,
  max_parallel_maintenance_workers: CORES,
  random_page_cost: '1.1',
  jit: 'off',
  // A generic plan, made without knowing the fragment, suits neither rare nor common fragments.
  plan_cache_mode: 'force_custom_plan',
  autovacuum: 'off',
  // Nothing here has to survive a crash: an incomplete load is repeated.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '20GB',
  checkpoint_timeout: '1h',
};

/** With the C locale, `pg_trgm` treats only ASCII letters as letters and would scan the table for others. */
const SET_UP = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
];

/** Loads the listing, then lets the server's parallel workers build the indexes. */
export async function providePostgres(
  folder: string,
  rows: number,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<Rival> {
  const serverFolder = findServerFolder(join(folder, 'postgres'));
  const server = await preparePostgresServer({ folder: serverFolder, setUp: SET_UP, settings: SETTINGS });
  // Whatever the server is doing then fails, and so does the run.
  signal.addEventListener('abort', () => void server.stop());
  await server.start();
  try {
    return await fill(server, folder, join(serverFolder, 'loaded.json'), rows, onStep);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function fill(
  server: PostgresServer,
  folder: string,
  marker: string,
  rows: number,
  onStep: (step: string) => void,
): Promise<Rival> {
  const db = openPostgres(server.url, { schema: 'registry', poolSize: 1, statementTimeoutMs: 3_600_000 });
  if (!isDone(marker)) {
    await loadPostgres(db, readRows(folder, rows));
    onStep('PostgreSQL: loaded, building indexes');
    await indexPostgres(db);
    markDone(marker);
  }
  await warmPostgres(db);
  return {
    name: 'PostgreSQL pg_trgm',
    plans: ['one statement', 'two statements'],
    ask: (query, plan) => askPostgres(db, toCriteria(query), plan as PostgresPlan),
    async close() {
      await db.close();
      await server.stop();
    },
  };
}

const BATCH_SIZE = 2_000;

async function* readRows(folder: string, rows: number): AsyncGenerator<readonly Value[]> {
  const listing = openListing(folder);
  for (let first = 1; first <= rows; first += BATCH_SIZE) {
    for (const { activity_keys, ...values } of await readListing(listing, first, first + BATCH_SIZE - 1)) {
      yield [...Object.values(values), toArray(String(activity_keys))];
    }
  }
  await listing.close();
}

/** Writes lines as the text of a PostgreSQL array. */
function toArray(lines: string): string {
  if (lines === '') return '{}';
  return `{"${lines.replace(/["\\]/g, '\\$&').replaceAll('\n', '","')}"}`;
}
