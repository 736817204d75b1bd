import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { parseVersion } from '../core/version.ts';
import type { Db, Value } from '../db/db.ts';
import type { Lease } from '../db/lease.ts';
import type { Change } from '../journal/feed/change.ts';
import { readCursor, readGeneration } from '../journal/feed/cursor.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import type { ChangePage } from '../journal/feed/page.ts';
import { type BackgroundWork, createBackgroundWork } from '../system/background-work.ts';
import { counts, type MonitorType, readScope, type Watching } from './monitor.ts';
import { advancePass, findWatchers, insertEvents, type PassState, readMonitors, readPass } from './store.ts';

/**
 * Compares what imports have changed with all monitors, once, and writes an event for each match: the journal is read from the place
 * where the last run ended, and this place moves in the transaction that writes the events. So each change is compared exactly once,
 * with the monitors as they are at that moment, whichever server does it and whenever it crashes.
 */
export interface MonitorPass extends BackgroundWork {
  /** Compares everything new, unless another process does. Returns how many events it has written. */
  run(signal?: AbortSignal): Promise<number>;
}

export interface PassOptions {
  readonly db: Db;
  readonly changes: Pick<ChangeFeed, 'readPage' | 'findStart'>;
  readonly lease: Lease;
  readonly log: Log;
  /** Called after new events are committed. */
  readonly onEvents: () => void;
  readonly bounds?: PassBounds;
}

/** Bounds of a transaction. On SQLite it blocks the event loop. */
export interface PassBounds {
  readonly changes: number;
  /** A few companies may be in thousands of monitors. */
  readonly events: number;
}

/** Half a second is also how long requests that wait may notice an import later. */
const INTERVAL_MS = 500;
const BOUNDS: PassBounds = { changes: 1_000, events: 2_000 };

const ALL = { country: null, register: null, type: null } as const;

export function createMonitorPass(options: PassOptions): MonitorPass {
  const { db, changes, lease, log, onEvents, bounds = BOUNDS } = options;
  /** The monitors of the last revision that was read. */
  let known: { readonly revision: number; readonly monitors: ReadonlyMap<number, Watching> } | undefined;

  async function readKnown({ revision }: PassState): Promise<ReadonlyMap<number, Watching>> {
    if (known?.revision === revision) return known.monitors;
    const stored = await readMonitors(db);
    const monitors = new Map(
      stored.map((monitor) => [
        monitor.number,
        { number: monitor.number, since: monitor.since, ...readScope(monitor) },
      ]),
    );
    // They may be newer than the revision. Then the pass does not move, and reads them again.
    known = { revision, monitors };
    return monitors;
  }

  function findEnd(): Promise<ChangePage> {
    return changes.readPage({ cursor: 'now', filter: ALL, limit: 1 });
  }

  /** The next changes, or none if no monitor could report them. */
  async function readNext({ cursor }: PassState, hasMonitors: boolean): Promise<Pick<ChangePage, 'data' | 'meta'>> {
    if (cursor === null || !hasMonitors) return findEnd();
    try {
      return await changes.readPage({ cursor, filter: ALL, limit: bounds.changes });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'cursor_expired') throw error;
      // The store was restored from a backup, or the pass did not run for longer than changes are kept. What was published later than
      // the last change that it has seen is new.
      const start = await changes.findStart(parseVersion(readCursor(cursor).version).publishedAt + 1);
      log.warn(
        'monitors continue at another place: the journal no longer has the changes after the last one they have seen',
      );
      return { data: [], meta: { nextCursor: start, hasMore: true, oldest: start } };
    }
  }

  /** Compares these changes and moves the pass to `to`, unless a monitor has changed meanwhile. */
  function compare(state: PassState, part: readonly Change[], to: string, monitors: ReadonlyMap<number, Watching>) {
    return db.transaction(async (tx) => {
      if (!(await advancePass(tx, state, to))) return 'outdated';
      if (part.length === 0) return 0;
      const ids = part.flatMap(({ entityId }) => entityId ?? []);
      const most = part.length > 1 ? bounds.events : Number.MAX_SAFE_INTEGER;
      const watchers = await findWatchers(tx, ids, most);
      if (watchers.length > most) throw new TooManyEvents();
      const byEntity = Map.groupBy(watchers, ({ entityId }) => entityId);
      const rows = part.flatMap((change) => listEvents(change, byEntity.get(change.entityId ?? '') ?? [], monitors));
      if (rows.length > 0) await insertEvents(tx, rows, state.position);
      return rows.length;
    });
  }

  /** Compares one page. Returns whether there is nothing more to do. */
  async function step(found: (events: number) => void): Promise<boolean> {
    let state = await readPass(db);
    const monitors = await readKnown(state);
    const { data, meta } = await readNext(state, monitors.size > 0);
    for (let from = 0, size = bounds.changes; ; ) {
      const part = data.slice(from, from + size);
      const isLast = from + part.length >= data.length;
      const to = isLast ? meta.nextCursor : (part.at(-1)?.cursor ?? meta.nextCursor);
      if (to === state.cursor) return true;
      try {
        const events = await compare(state, part, to, monitors);
        if (events === 'outdated') {
          known = undefined;
          return false;
        }
        found(events);
        state = { ...state, cursor: to, position: state.position + events };
      } catch (error) {
        if (!(error instanceof TooManyEvents)) throw error;
        size = Math.ceil(part.length / 2);
        continue;
      }
      if (isLast) return !meta.hasMore;
      from += part.length;
      await nextTurn();
    }
  }

  async function run(signal?: AbortSignal): Promise<number> {
    const [{ cursor }, end] = await Promise.all([readPass(db), findEnd()]);
    if (cursor === end.meta.nextCursor) return 0;
    let events = 0;
    const found = (count: number) => {
      events += count;
      if (count > 0) onEvents();
    };
    await lease.hold(async (lost) => {
      while (!lost.aborted && signal?.aborted !== true && !(await step(found))) await nextTurn();
    });
    return events;
  }

  async function runInBackground(signal: AbortSignal): Promise<void> {
    try {
      await run(signal);
    } catch (error) {
      // The log already says that the database is down.
      if (error instanceof Failure && error.code === 'service_unavailable') return;
      log.warn({ err: error }, 'changes could not be compared with monitors: will retry');
    }
  }

  return { run, ...createBackgroundWork(INTERVAL_MS, runInBackground) };
}

class TooManyEvents extends Error {}

/** The events of a change: the values of the columns of `monitor_events` after `position`. */
function listEvents(
  change: Change,
  watchers: readonly { readonly monitor: number }[],
  monitors: ReadonlyMap<number, Watching>,
): Value[][] {
  if (watchers.length === 0) return [];
  const { version, seen } = readCursor(change.cursor);
  const generation = readGeneration(version);
  const type = change.type as MonitorType;
  const text = JSON.stringify(change);
  return watchers.flatMap(({ monitor: number }) => {
    const monitor = monitors.get(number);
    if (monitor === undefined || generation <= monitor.since || !counts(monitor, type, change)) return [];
    return [[number, generation, seen, type, text]];
  });
}
