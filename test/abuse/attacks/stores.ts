import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import type { Db } from '../../../src/db/db.ts';
import { migrate, readMigrations } from '../../../src/db/migrate.ts';
import { openStore } from '../../../src/db/open.ts';
import { decide } from '../../../src/metering/decisions.ts';
import { createDatabase, type Engine } from '../../harness/databases.ts';
import { startService } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { createCaller, times } from '../../metering/meter-store.ts';
import type { Attack, Outcome } from '../attack.ts';
import { startTarget } from '../target.ts';

/** Attacks that grow what the stores keep: prepared statements, sessions, payment events, the write-ahead log. */
export const attacks: readonly Attack[] = [
  { name: 'batches of the meter in 1,000 sizes', run: varyBatchSizes },
  { name: 'sign-ins beside 600,000 sessions', run: (engine) => signInBesideMany(engine, 600_000) },
  { name: 'recovery beside 120,000 payment events', run: (engine) => recoverBesideMany(engine, 120_000) },
  { name: 're-import of 100,000 companies while serving', engines: ['sqlite'], run: reimportWhileServing },
];

const MAX_GROWTH_MB = 60;

async function varyBatchSizes(engine: Engine): Promise<Outcome> {
  const database = await createDatabase(engine);
  const db = openStore('accounts', { ...database, poolSize: 1 });
  try {
    await migrate(db, readMigrations('accounts'), systemClock);
    const takes = times(1_000, () => ({ caller: createCaller(), charged: true }));
    const take = (size: number) => decide(db, takes.slice(0, size), systemClock.now());
    for (let round = 0; round < 20; round++) await take(1_000);
    const before = await readMegabytes(db);
    for (let size = 1; size <= 1_000; size++) await take(size);
    const growth = (await readMegabytes(db)) - before;
    return { held: growth < MAX_GROWTH_MB, figures: `memory ${before} MB, and ${growth} MB more after it` };
  } finally {
    await db.close();
    await database.remove();
  }
}

/** The memory of what prepares the statements: this process, without the garbage of JavaScript, or that of the connection. */
async function readMegabytes(db: Db): Promise<number> {
  if (db.engine === 'sqlite') {
    const { rss, heapTotal } = process.memoryUsage();
    return Math.round((rss - heapTotal) / 2 ** 20);
  }
  const { pid } = (await db.one<{ pid: number }>('SELECT pg_backend_pid() AS pid')) ?? {};
  // Shared buffers are not memory of this process alone.
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
}

/** Compared with the same statements in an almost empty table, so that the figure does not depend on the machine. */
const MAX_RATIO = 5;

async function signInBesideMany(engine: Engine, count: number): Promise<Outcome> {
  await using service = await startService(engine);
  const { sessions, accountsDb, clock } = service.services;
  let users = 0;
  const signIn = () =>
    sessions.start({ issuer: 'https://login.test', subject: `user ${users++}`, email: null, name: null });
  const { user } = await signIn();
  const alone = await measure(signIn);
  const columns = ['token_hash', 'user_id', 'created_at', 'last_seen_at', 'expires_at'];
  const now = clock.now();
  const rows = function* () {
    for (let index = 0; index < count; index++) yield [`session ${index}`, user.id, now, now, now + 86_400_000];
  };
  await accountsDb.bulkLoad('sessions', columns, rows());
  return compare(alone, await measure(signIn));
}

async function recoverBesideMany(engine: Engine, count: number): Promise<Outcome> {
  await using service = await startService(engine);
  const { billing, accountsDb } = service.services;
  const alone = await measure(() => billing.recover());
  const columns = ['id', 'kind', 'created', 'received_at', 'payload', 'outcome'];
  const rows = function* () {
    for (let index = 0; index < count; index++) yield [`evt_${index}`, 'test', index, index, '{}', 'ignored'];
  };
  await accountsDb.bulkLoad('billing_events', columns, rows());
  return compare(alone, await measure(() => billing.recover()));
}

/** The median time of many runs, in ms. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < 100; round++) {
    const startedAt = performance.now();
    await work();
    durations.push(performance.now() - startedAt);
  }
  return durations.toSorted((a, b) => a - b)[50] ?? 0;
}

function compare(alone: number, beside: number): Outcome {
  return { held: beside < alone * MAX_RATIO, figures: `${beside.toFixed(2)} ms, alone ${alone.toFixed(2)} ms` };
}

async function reimportWhileServing(engine: Engine): Promise<Outcome> {
  await using target = await startTarget(engine, { companies: 0 });
  const sizeOfLog = () => statSync(join(target.database.dataDir, 'registry.db-wal')).size;
  let largest = 0;
  const timer = setInterval(() => {
    largest = Math.max(largest, sizeOfLog());
  }, 50);
  for (const seed of ['1', '2']) {
    await target.command('generate', 'gb', '--rows', '100000', '--seed', seed, '--out', `gb-${seed}.csv`);
    await target.command('import', 'gb', `gb-${seed}.csv`, '--full');
  }
  clearInterval(timer);
  // The import empties the log, or the server does when its new index is built.
  await until('the log is empty', () => sizeOfLog() === 0, 120_000);
  return { held: true, figures: `log ${Math.round(largest / 1e6)} MB during the imports, empty after them` };
}
