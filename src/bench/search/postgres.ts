import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Value } from '../../db/db.ts';
import { isReachable, type PostgresServer, preparePostgresServer } from '../../db/local-postgres.ts';
import { openPostgres } from '../../db/postgres.ts';
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
  // A plan made without knowing the fragment suits neither rare nor common ones.
  plan_cache_mode: 'force_custom_plan',
  autovacuum: 'off',
  // Nothing here has to survive a crash: what was not finished is loaded again.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '20GB',
  checkpoint_timeout: '1h',
};

/** With the C locale `pg_trgm` would take no letter beyond ASCII for a letter, and scan for those. */
const SET_UP = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
];

/** Reads the listing and loads it; then the server's own processes build the indexes. */
export async function providePostgres(
  folder: string,
  rows: number,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<Rival> {
  const place = placeFor(folder);
  const server = await preparePostgresServer({ folder: place, setUp: SET_UP, settings: SETTINGS });
  // Whatever it is doing then fails, and with it the run.
  signal.addEventListener('abort', () => void server.stop());
  await server.start();
  try {
    return await fill(server, folder, join(place, 'loaded.json'), rows, onStep);
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

/** Beside the other data, unless the user that the server must run as cannot go there. */
function placeFor(folder: string): string {
  const inside = join(folder, 'postgres');
  mkdirSync(inside, { recursive: true });
  chmodSync(inside, 0o755);
  if (isReachable(inside)) return inside;
  return join(tmpdir(), `firmament-bench-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}

const ROWS_AT_ONCE = 2_000;

async function* readRows(folder: string, rows: number): AsyncGenerator<readonly Value[]> {
  const listing = openListing(folder);
  for (let first = 1; first <= rows; first += ROWS_AT_ONCE) {
    for (const { activity_keys, ...values } of await readListing(listing, first, first + ROWS_AT_ONCE - 1)) {
      yield [...Object.values(values), toArray(String(activity_keys))];
    }
  }
  await listing.close();
}

/** Lines as the text of a PostgreSQL array. */
function toArray(lines: string): string {
  if (lines === '') return '{}';
  return `{"${lines.replace(/["\\]/g, '\\$&').replaceAll('\n', '","')}"}`;
}
