import { EventEmitter } from 'node:events';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Db, Transaction } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { createPruning } from '../../base/system/background-work.ts';
import { type Cursor, parseStart, writeCursor } from '../feed/cursor.ts';
import type { ChangeFeed } from '../feed/feed.ts';
import { createLogReader, splitPage, type WaitLimits } from '../log.ts';
import { ALL_CHANGES, isLater, type MonitorChange } from './monitor.ts';
import {
  type AccountEvent,
  deleteEntitiesOf,
  deleteEventsOf,
  deleteMonitor,
  deleteOldEvents,
  findDeleted,
  findPass,
  findPosition,
  listAccountEvents,
  listEvents,
  listLatestEvents,
  requireMonitor,
  type StoredEvent,
  toPlace,
} from './store.ts';

export interface MonitorEvent {
  readonly position: number;
  readonly monitorId: string;
  /** Such as `entity.changed`. */
  readonly type: string;
  /** When the change was published, ISO 8601. */
  readonly timestamp: string;
  /** The change, and the id of the monitor. */
  readonly data: object & { readonly monitorId: string; readonly cursor: string; readonly entityId: string | null };
}

export type MonitorEvents = ReturnType<typeof createMonitorEvents>;

/** What all monitors have reported, in one order. Webhooks are sent from it. */
export function createMonitorEvents(db: Db, changes: ReadAt) {
  const emitter = new EventEmitter();
  return {
    /**
     * The events of an account after a position, in order. Those of deleted monitors are left out. `monitorIds` is a JSON array; null: of
     * all its monitors.
     */
    async ofAccount(
      accountId: string,
      monitorIds: string | null,
      position: number,
      limit: number,
    ): Promise<MonitorEvent[]> {
      const read = (from: number, most: number) => listAccountEvents(db, accountId, monitorIds, from, most);
      return (await listResolved(changes, read, position, limit)).map(describeEvent);
    },
    /** The position of the last event up to this cursor of the journal, 0 if there is none. */
    findPosition: (cursor: string): Promise<number> => findPosition(db, toPlace(parseStart(cursor))),
    /** The position of the last event, 0 if there was none. Positions increase, and never appear after higher ones. */
    last: async (): Promise<number> => (await findPass(db)).position,
    /** Calls the listener when this process has written events. Other processes may write them, too: also look from time to time. */
    onNew: (listener: () => void): void => void emitter.on('new', listener),
    announce: (): void => void emitter.emit('new'),
  };
}

function describeEvent({ position, monitorId, change }: Resolved<AccountEvent>): MonitorEvent {
  const [type, timestamp] = [`entity.${change.type}`, change.occurredAt];
  return { position, monitorId, type, timestamp, data: { monitorId, ...change } };
}

interface MonitorPageRequest {
  readonly accountId: string;
  readonly id: string;
  /** As for the journal; undefined for the oldest change of the monitor that is kept. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface MonitorPage {
  readonly data: readonly MonitorChange[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean; readonly oldest: string };
}

export type MonitorChanges = ReturnType<typeof createMonitorChanges>;

/**
 * How clients read the changes that a monitor reports, by the cursors of the journal. Its methods throw `monitor_not_found`, and
 * `cursor_expired` like the journal.
 */
export function createMonitorChanges(
  db: Db,
  changes: Pick<ChangeFeed, 'readPage' | 'readAt'>,
  waitLimits: WaitLimits = {},
) {
  async function read({ accountId, id, cursor, limit }: MonitorPageRequest) {
    const monitor = await requireMonitor(db, accountId, id);
    // Also checks that the journal still has the changes after the cursor.
    const { oldest } = (await changes.readPage({ cursor, filter: ALL_CHANGES, limit: 1 })).meta;
    // Before the events: those that are written meanwhile are then after it, and found by the next page.
    const { cursor: passed, position } = await findPass(db);
    const end = parseStart(passed ?? monitor.startCursor);
    const start = cursor === 'now' ? end : parseStart(cursor ?? oldest);
    const readNext = (from: number, most: number) => listEvents(db, monitor.number, from, most);
    const found = await listResolved(changes, readNext, await findPosition(db, toPlace(start)), limit + 1);
    const { data: events, hasMore } = splitPage(found, limit);
    const data = events.map(({ change }) => change);
    const last = data.at(-1);
    const seen = last === undefined ? start : parseStart(last.cursor);
    const nextCursor = writeEnd(hasMore || isLater(seen, end) ? seen : end, cursor);
    const page: MonitorPage = { data, meta: { nextCursor, hasMore, oldest } };
    return { page, newest: String(position) };
  }

  return {
    ...createLogReader(read, { readNewest: async () => String((await findPass(db)).position), ...waitLimits }),
    async readLatest(accountId: string, id: string, limit: number): Promise<MonitorChange[]> {
      const { number } = await requireMonitor(db, accountId, id);
      return (await resolveEvents(changes, await listLatestEvents(db, number, limit))).map(({ change }) => change);
    },
  };
}

/** A client that gave the name of a snapshot, which has all changes up to it, gets it back while there is nothing later. */
function writeEnd(cursor: Cursor, given: string | undefined): string {
  return cursor.seen === Number.POSITIVE_INFINITY && given !== undefined ? given : writeCursor(cursor);
}

/** Reads what events say. They name their changes, and the journal has these. */
type ReadAt = Pick<ChangeFeed, 'readAt'>;

type Resolved<E> = E & { readonly change: MonitorChange };

/** Those whose changes the journal no longer has are left out. */
async function resolveEvents<E extends StoredEvent>(feed: ReadAt, events: readonly E[]): Promise<Resolved<E>[]> {
  const found = await feed.readAt(events);
  return events.flatMap((event, index) => {
    const change = found[index];
    return change === undefined ? [] : { ...event, change: { ...change, type: event.type ?? change.type } };
  });
}

/** Reads events after a position until there are `limit`, or no more. */
async function listResolved<E extends StoredEvent>(
  feed: ReadAt,
  read: (position: number, limit: number) => Promise<E[]>,
  position: number,
  limit: number,
): Promise<Resolved<E>[]> {
  const resolved: Resolved<E>[] = [];
  for (let from = position; ; ) {
    const wanted = limit - resolved.length;
    const found = await read(from, wanted);
    resolved.push(...(await resolveEvents(feed, found)));
    const last = found.at(-1);
    if (last === undefined || found.length < wanted || resolved.length >= limit) return resolved;
    from = last.position;
  }
}

/** On SQLite a batch blocks the event loop. */
const BATCH_SIZE = 500;

/** Removes events that the journal no longer has, and what deleted monitors have left, as background work of a server. */
export function createMonitorPruning(db: Db, changes: Pick<ChangeFeed, 'readPage'>, log: Log) {
  async function prune(signal?: AbortSignal): Promise<number> {
    const remove = (change: (tx: Transaction, limit: number) => Promise<number>) =>
      changeInBatches({ db, name: 'monitor pruning', size: BATCH_SIZE, signal }, change);
    const { meta } = await changes.readPage({ cursor: undefined, filter: ALL_CHANGES, limit: 1 });
    const oldest = toPlace(parseStart(meta.oldest));
    let removed = await remove((tx, limit) => deleteOldEvents(tx, oldest, limit));
    for (let next = await findDeleted(db); next !== undefined; next = await findDeleted(db)) {
      const number = next;
      removed += await remove((tx, limit) => deleteEventsOf(tx, number, limit));
      removed += await remove((tx, limit) => deleteEntitiesOf(tx, number, limit));
      if (signal?.aborted === true) return removed;
      // If the pass wrote events meanwhile, with the monitor as it was before, the monitor stays until they are removed, too.
      if (!(await deleteMonitor(db, number))) return removed;
    }
    return removed;
  }

  return createPruning(log, 'old events of monitors could not be removed', prune);
}
