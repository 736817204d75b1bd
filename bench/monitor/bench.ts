import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createIdempotency } from '../../src/accounts/idempotency/idempotency.ts';
import { systemClock } from '../../src/core/clock.ts';
import { nameUuid } from '../../src/core/ids.ts';
import { findPlan } from '../../src/core/plans.ts';
import type { Db } from '../../src/db/db.ts';
import { createLease } from '../../src/db/lease.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { createChangeFeed } from '../../src/journal/feed/feed.ts';
import { createMonitorEvents } from '../../src/monitors/events/events.ts';
import { createMonitors } from '../../src/monitors/monitors.ts';
import { createMonitorPass } from '../../src/monitors/pass.ts';
import type { BenchOptions } from '../reporting.ts';
import { insertAccount, publishChanges } from './store.ts';

/**
 * `bench monitor`: how long it takes to compare an import with many monitors, and to write an event for each match. Every watched
 * company is changed, so this is the most that an import can cause. The import itself does nothing for monitors.
 */
interface MonitorBenchOptions extends BenchOptions {
  /** Changes of the import. */
  readonly rows: number;
}

export interface MonitorFigures {
  readonly changes: number;
  readonly monitors: number;
  readonly watched: number;
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Resident memory that is added meanwhile, at its peak. */
  readonly extraMegabytes: number;
  readonly longestTurnMs: number;
}

const MONITORS = 1_000;
const COMPANIES = 1_000;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
/** It never has a saved search here. */
const NO_SEARCHES = {
  collect: () => Promise.reject(new Error('this benchmark has no saved searches')),
  evaluate: async () => new Map(),
};

export async function benchMonitor({ rows, cache, databaseUrl, onStep }: MonitorBenchOptions): Promise<MonitorFigures> {
  mkdirSync(cache, { recursive: true });
  const dataDir = mkdtempSync(join(cache, 'monitor-'));
  const place = { dataDir, databaseUrl };
  const [registryDb, db] = [openStore('registry', place), openStore('accounts', place)];
  try {
    await migrate(registryDb, readMigrations('registry'), systemClock);
    await migrate(db, readMigrations('accounts'), systemClock);
    onStep(`${MONITORS} monitors of ${COMPANIES} companies`);
    const ids = Array.from({ length: rows }, (_, index) => nameUuid(`GB/gb/${index}`));
    const changes = createChangeFeed(registryDb);
    await createAll(db, { changes, ids });
    onStep(`an import with ${rows} changes`);
    await publishChanges(registryDb, ids, systemClock.now());
    onStep('comparing');
    const lease = createLease({ db, name: 'monitors' });
    const pass = createMonitorPass({ db, changes, searches: NO_SEARCHES, lease, log: SILENT, onEvents() {} });
    const measured = await measure(() => pass.run());
    const events = await createMonitorEvents(db).last();
    return { changes: rows, monitors: MONITORS, watched: MONITORS * COMPANIES, events, ...measured };
  } finally {
    await Promise.all([registryDb.close(), db.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Given {
  readonly changes: ReturnType<typeof createChangeFeed>;
  readonly ids: readonly string[];
}

async function createAll(db: Db, { changes, ids }: Given): Promise<void> {
  const idempotency = createIdempotency({ db, clock: systemClock, log: SILENT });
  const services = { db, clock: systemClock, changes, searches: NO_SEARCHES, version: '1', idempotency };
  const monitors = createMonitors(services);
  const plan = { ...findPlan('business'), maxMonitors: MONITORS, maxWatchedCompanies: MONITORS * COMPANIES };
  const account = { accountId: nameUuid('bench monitor'), plan, periodAnchor: null, periodEnd: null };
  await insertAccount(db, account.accountId);
  for (let number = 0; number < MONITORS; number++) {
    // Spread over all changes, a different part for each monitor.
    const watch = Array.from({ length: COMPANIES }, (_, at) => ids[(number + at * MONITORS) % ids.length] as string);
    await monitors.create(account, { name: `monitor ${number}`, watch });
  }
}

async function measure(work: () => Promise<unknown>) {
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let [peak, last, longest] = [before, started, 0];
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - started) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    extraMegabytes: (peak - before) / 1e6,
    longestTurnMs: longest,
  };
}
