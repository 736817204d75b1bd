import { version } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import { createLease, SHORT_LEASE_MS } from '../db/lease.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import { createMonitorChanges } from '../monitors/events/changes.ts';
import { createMonitorEvents } from '../monitors/events/events.ts';
import { createMonitorPruning } from '../monitors/events/pruning.ts';
import { createMonitors } from '../monitors/monitors.ts';
import { createMonitorPass } from '../monitors/pass.ts';
import { createSavedSearches } from '../monitors/saved-search.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Search } from '../search/search.ts';

interface MonitorParts {
  readonly accountsDb: Db;
  readonly registryDb: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'countMonitorEvents' | 'setMonitorBacklog'>;
  readonly changes: ChangeFeed;
  readonly search: Search;
}

/** Part of the composition root: wires monitors to the journal, search and metrics. */
export function openMonitors(parts: MonitorParts) {
  const { accountsDb: db, registryDb, clock, log, metrics, changes, search } = parts;
  const searches = createSavedSearches(search, registryDb);
  const monitorChanges = createMonitorChanges(db, changes);
  const monitorEvents = createMonitorEvents(db, changes);
  const monitorPass = createMonitorPass({
    db,
    changes,
    searches,
    lease: createLease({ db, name: 'monitors', leaseMs: SHORT_LEASE_MS }),
    log,
    onEvents(count) {
      metrics.countMonitorEvents(count);
      monitorEvents.announce();
    },
    onBacklog: metrics.setMonitorBacklog,
  });
  const pruning = createMonitorPruning({ db, changes, log });
  return {
    monitors: createMonitors({ db, clock, changes, searches, version }),
    monitorChanges,
    monitorEvents,
    monitorPass,
    start() {
      monitorPass.start();
      pruning.start();
    },
    async stop() {
      await pruning.stop();
      await monitorPass.stop();
      await monitorChanges.endWaits();
    },
  };
}
