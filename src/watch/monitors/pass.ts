import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db, Transaction } from '../../base/db/db.ts';
import type { Lease } from '../../base/db/lease.ts';
import { Failure } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createBackgroundWork, logFailures, oneAtATime } from '../../base/system/background-work.ts';
import { compileMatch, type MatchRow } from '../../search/match-row.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import { parseCursor, parseStart, writeCursor } from '../feed/cursor.ts';
import type { Change, ChangeFeed, ChangePage } from '../feed/feed.ts';
import {
  type Collected,
  generationOf,
  isReported,
  MAX_ENTITIES,
  type Monitor,
  type MonitorType,
  type SavedSearches,
} from './monitor.ts';
import * as store from './store.ts';

interface PassOptions {
  readonly db: Db;
  readonly changes: Pick<ChangeFeed, 'readPage' | 'findEnds' | 'findStart'>;
  readonly searches: SavedSearches;
  readonly lease: Lease;
  readonly log: Log;
  readonly onEvents: (count: number) => void;
  /** Called with the number of imports that were not compared yet. */
  readonly onBacklog?: (imports: number) => void;
  readonly bounds?: typeof BOUNDS;
}

/** This is also the delay with which waiting requests notice an import. */
const INTERVAL_MS = 500;
/** Bounds of a transaction, which blocks the event loop on SQLite. A few companies may be in thousands of monitors, and so cause many events. */
const BOUNDS = { changes: 1_000, events: 4_000 };

/**
 * Compares the changes of imports with all monitors and writes an event for each match. The journal is read from the place where the last run ended,
 * and this place moves in the transaction that writes the events. So each change is compared exactly once, with the current monitors, whichever
 * server runs the pass and whenever that server crashes.
 */
export function createMonitorPass(options: PassOptions) {
  const { db, changes, searches, lease, log, onEvents, onBacklog = () => undefined, bounds = BOUNDS } = options;
  let known: Known | undefined;
  let size = bounds.changes;

  async function loadKnown({ revision }: store.PassState): Promise<Known> {
    if (known?.revision === revision) return known;
    const stored = await store.listActiveMonitors(db);
    const matches = new Map<number, MatchRow>();
    for (const { number, search } of stored)
      if (search !== null) matches.set(number, compileMatch(toSearchQuery(search)));
    // The monitors may be newer than the revision. Then the pass does not move, and reads the monitors again.
    known = { revision, monitors: new Map(stored.map((monitor) => [monitor.number, monitor])), matches };
    return known;
  }

  const findEnd = async () => writeCursor((await changes.findEnds()).end);

  /** The next changes, or none if no monitor could report them. */
  async function readNext({ cursor }: store.PassState, hasMonitors: boolean): Promise<Next> {
    if (cursor === null || !hasMonitors) return { data: [], nextCursor: await findEnd(), hasMore: false };
    try {
      const { data, meta } = await changes.readPage({ cursor, filter: ALL_CHANGES, limit: size });
      return { data, ...meta };
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'cursor_expired') throw error;
      // The store was restored from a backup, or the pass did not run for longer than changes are kept. Imports published after the last change that
      // the pass has seen are new.
      const start = await changes.findStart(parseStart(cursor).publishedAt + 1);
      log.warn(
        'monitors continue at another place: the journal no longer has the changes after the last one they have seen',
      );
      return { data: [], nextCursor: start, hasMore: true };
    }
  }

  /** Compares changes and moves the pass to `to`, unless a monitor has changed meanwhile. */
  async function compare(state: store.PassState, page: readonly Change[], to: string, { monitors, matches }: Known) {
    const ids = page.flatMap(({ entityId }) => entityId ?? []);
    // The matches are not older than the changes, because the changes were read first.
    const matching = matches.size > 0 ? await searches.evaluate(matches, ids) : NO_MATCHES;
    const loaded = await collectLoaded(page, monitors);
    return db.transaction(async (tx) => {
      if (!(await store.advancePass(tx, state, to))) return 'outdated';
      if (page.length === 0) return 0;
      const most = page.length > 1 ? bounds.events : Number.MAX_SAFE_INTEGER;
      const watchers = await store.findWatchers(tx, ids, most);
      if (watchers === undefined) throw new TooManyEvents();
      const { events, moves } = compareChanges(page, monitors, watchers, matching);
      if (events.length > 0) await store.insertEvents(tx, events, state.position);
      await applyMoves(tx, moves);
      await addLoaded(tx, loaded);
      return events.length;
    });
  }

  /** The first import of a register is one change per country. Its companies are not reported, but join the saved searches that they match. */
  async function collectLoaded(page: readonly Change[], monitors: Known['monitors']): Promise<Loaded[]> {
    const found: Loaded[] = [];
    for (const { cursor, type, countryCode: country, register } of page) {
      if (type !== 'loaded') continue;
      const generation = generationOf(cursor);
      for (const [monitor, { since, search }] of monitors) {
        if (search === null || generation <= since) continue;
        const query = toSearchQuery(search);
        if ((query.country ?? country) !== country || (query.register ?? register) !== register) continue;
        found.push({ monitor, ...(await searches.collect({ ...query, country, register }, MAX_ENTITIES, generation)) });
      }
    }
    return found;
  }

  /** Compares one page. Returns true if there is nothing more to compare. */
  async function step(found: (events: number) => void): Promise<boolean> {
    const state = await store.findPass(db);
    const current = await loadKnown(state);
    const { data, nextCursor, hasMore } = await readNext(state, current.monitors.size > 0);
    if (nextCursor === state.cursor) return true;
    const result = await compare(state, data, nextCursor, current).catch((error: unknown) => {
      if (error instanceof TooManyEvents) return error;
      throw error;
    });
    if (typeof result === 'number') {
      found(result);
      size = Math.min(bounds.changes, 2 * size);
      return !hasMore;
    }
    if (result === 'outdated') known = undefined;
    else size = Math.ceil(data.length / 2);
    return false;
  }

  async function compareAll(signal?: AbortSignal): Promise<number> {
    const [{ cursor }, newest] = await Promise.all([store.findPass(db), findEnd()]);
    onBacklog(cursor === null ? 0 : generationOf(newest) - generationOf(cursor));
    if (cursor === newest) return 0;
    let events = 0;
    const found = (count: number) => {
      events += count;
      if (count > 0) onEvents(count);
    };
    await lease.hold(async (lost) => {
      while (!lost.aborted && signal?.aborted !== true && !(await step(found))) await nextTurn();
    });
    return events;
  }

  const run = oneAtATime(compareAll);
  return {
    /** Compares all new changes, unless another process does so. Returns how many events were written. */
    run,
    ...createBackgroundWork(INTERVAL_MS, logFailures(log, 'changes could not be compared with monitors', run)),
  };
}

const ALL_CHANGES = { country: null, register: null, type: null } as const;

type Next = Pick<ChangePage, 'data'> & Pick<ChangePage['meta'], 'nextCursor' | 'hasMore'>;

interface Known {
  readonly revision: number;
  readonly monitors: ReadonlyMap<number, Monitor>;
  /** The queries of the monitors with a saved search. */
  readonly matches: ReadonlyMap<number, MatchRow>;
}

interface Loaded extends Collected {
  readonly monitor: number;
}

const NO_MATCHES: ReadonlyMap<string, ReadonlySet<number>> = new Map();

class TooManyEvents extends Error {}

async function applyMoves(tx: Transaction, moves: Moves): Promise<void> {
  for (const [monitor, own] of moves) {
    const [entered = [], left = []] = [true, false].map((is) => [...own.keys()].filter((id) => own.get(id) === is));
    const added = await store.insertEntities(tx, monitor, entered);
    const removed = await store.deleteEntities(tx, monitor, left);
    await store.addToCount(tx, monitor, added - removed);
  }
}

async function addLoaded(tx: Transaction, loaded: readonly Loaded[]): Promise<void> {
  for (const { monitor, ids } of loaded) {
    if (ids !== undefined) {
      await store.addToCount(tx, monitor, await store.insertEntities(tx, monitor, ids));
      continue;
    }
    await store.updateMonitor(tx, monitor, { problem: 'too_many_companies' });
    await store.reviseMonitors(tx);
  }
}

/** For each saved search, the companies that begin (true) or cease (false) to match. */
type Moves = Map<number, Map<string, boolean>>;

/** Compares changes, in order. `watchers` are from before the first change; `matching` are the saved searches that each company matches now. */
function compareChanges(
  changes: readonly Change[],
  monitors: Known['monitors'],
  watchers: store.Watchers,
  matching: typeof NO_MATCHES,
) {
  /** The monitors of companies that have moved. */
  const members = new Map<string, readonly number[]>();
  const events: store.NewEvent[] = [];
  const moves: Moves = new Map();
  for (const change of changes) {
    const { entityId, cursor } = change;
    if (entityId === null) continue;
    const before = members.get(entityId) ?? watchers.get(entityId) ?? [];
    const now = matching.get(entityId) ?? NONE;
    if (before.length === 0 && now.size === 0) continue;
    const place = parseCursor(cursor);
    for (const number of new Set([...before, ...now].sort((a, b) => a - b))) {
      const monitor = monitors.get(number);
      if (monitor === undefined || place.generation <= monitor.since) continue;
      const was = before.includes(number);
      const is = monitor.search === null ? was : now.has(number);
      if (was !== is) {
        moves.getOrInsertComputed(number, () => new Map()).set(entityId, is);
        const others = (members.get(entityId) ?? before).filter((each) => each !== number);
        members.set(entityId, is ? [...others, number] : others);
      }
      const type = was === is ? null : is ? 'entered' : 'left';
      if (!(was || is) || !isReported(monitor, type ?? (change.type as MonitorType), change)) continue;
      const { generation, publishedAt, seen } = place;
      events.push({ monitor: number, generation, publishedAt, seen, type });
    }
  }
  return { events, moves };
}

const NONE: ReadonlySet<number> = new Set();
