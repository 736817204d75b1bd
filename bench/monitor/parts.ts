import { systemClock } from '../../src/base/clock.ts';
import { createLease } from '../../src/base/db/lease.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { nameUuid } from '../../src/base/ids.ts';
import { findPlan } from '../../src/base/plans.ts';
import { emptyRegistry } from '../../src/registry/registry.ts';
import { createChangeFeed } from '../../src/watch/feed/feed.ts';
import { createMonitorEvents } from '../../src/watch/monitors/events.ts';
import { createMonitors } from '../../src/watch/monitors/monitors.ts';
import { createMonitorPass } from '../../src/watch/monitors/pass.ts';
import { emptyMonitors, insertAccount, readIds } from './store.ts';

export type Parts = Awaited<ReturnType<typeof openParts>>;

export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
/** No monitor of this benchmark has a saved search. */
const NO_SEARCHES = {
  collect: () => Promise.reject(new Error('this benchmark has no saved searches')),
  evaluate: async () => new Map(),
};

/** What a server has for monitors, on empty stores, with an account that may have any number of them. */
export async function openParts(place: { readonly dataDir: string; readonly databaseUrl: string | undefined }) {
  const [registryDb, db] = [openStore('registry', place), openStore('accounts', place)];
  await migrate(registryDb, loadMigrations('registry'), systemClock);
  await migrate(db, loadMigrations('accounts'), systemClock);
  await emptyRegistry(registryDb);
  await emptyMonitors(db);
  const plan = { ...findPlan('business'), maxApiKeys: 1_000, maxMonitors: 1e9, maxWatchedCompanies: 1e9 };
  const account = { accountId: nameUuid('bench monitor'), plan, periodAnchor: null, periodEnd: null };
  await insertAccount(db, account.accountId);
  const changes = createChangeFeed(registryDb);
  const events = createMonitorEvents(db, changes);
  const onEvents: (() => void)[] = [];
  const services = { db, clock: systemClock, changes, searches: NO_SEARCHES, version: '1' };
  return {
    registryDb,
    db,
    account,
    events,
    /** Called when the pass has written events. */
    onEvents,
    monitors: createMonitors(services),
    pass: createMonitorPass({
      ...{ db, changes, searches: NO_SEARCHES, log: SILENT },
      onEvents() {
        for (const call of onEvents) call();
      },
      lease: createLease({ db, name: 'monitors' }),
    }),
    /** The companies that are stored, in the order of their ids. */
    readIds: () => readIds(registryDb),
    close: () => Promise.all([registryDb.close(), db.close()]),
  };
}

/** Creates a monitor of these companies. */
export async function watchAll(
  { monitors, account }: Parts,
  name: string,
  watch: readonly string[],
  owner = account,
): Promise<void> {
  await monitors.create(owner, { name, watch });
}
