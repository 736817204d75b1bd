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
  /** The type of the event, such as `entity.changed`. */
  readonly type: string;
  /** When the change was published, ISO 8601. */
  readonly timestamp: string;
  /** The change, and the id of the monitor. */
  readonly data: object & { readonly monitorId: string; readonly cursor: string; readonly entityId: string | null };
}

export type MonitorEvents = ReturnType<typeof createMonitorEvents>;

/** The events of all monitors in one order, from which webhooks are sent. */
export function createMonitorEvents(db: Db, changes: ReadAt) {
  const emitter = new EventEmitter();
  return {
    /**
     * The events of an account after a position, in order. Events of deleted monitors are left out. `monitorIds` is a JSON array; null stands for all
     * monitors of the account.
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
    /** The position of the last event up to this cursor of the journal, 0 if there is no event. */
    findPosition: (cursor: string): Promise<number> => findPosition(db, toPlace(parseStart(cursor))),
    /** The position of the last event, 0 if there was none. No event appears later with a lower position. */
    last: async (): Promise<number> => (await findPass(db)).position,
    /** Calls the listener when this process has written events. Other processes may write events too, so listeners also have to poll. */
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
  /** A cursor of the journal. Undefined for the oldest kept change of the monitor. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface MonitorPage {
  readonly data: readonly MonitorChange[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean; readonly oldest: string };
}

export type MonitorChanges = ReturnType<typeof createMonitorChanges>;

/**
 * How clients read the changes that a monitor reports, by the cursors of the journal. The methods throw `monitor_not_found`, and `cursor_expired`
 * like the journal.
 */
export function createMonitorChanges(
  db: Db,
  changes: Pick<ChangeFeed, 'readPage' | 'readAt'>,
  waitLimits: WaitLimits = {},
) {
  async function read({ accountId, id, cursor, limit }: MonitorPageRequest) {
    const monitor = await requireMonitor(db, accountId, id);
    // This call also checks that the journal still contains the changes after the cursor.
    const { oldest } = (await changes.readPage({ cursor, filter: ALL_CHANGES, limit: 1 })).meta;
    // Read before the events: events that are written meanwhile are after this cursor, so the next page finds them.
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

/** Returns the given cursor while there are no later changes, because it may be the name of a snapshot. */
function writeEnd(cursor: Cursor, given: string | undefined): string {
  return cursor.seen === Number.POSITIVE_INFINITY && given !== undefined ? given : writeCursor(cursor);
}

/** Reads the changes of events. Events store only the place of a change; the journal stores the change itself. */
type ReadAt = Pick<ChangeFeed, 'readAt'>;

type Resolved<E> = E & { readonly change: MonitorChange };

/** Adds its change to each event. Leaves out events whose changes the journal no longer contains. */
async function resolveEvents<E extends StoredEvent>(feed: ReadAt, events: readonly E[]): Promise<Resolved<E>[]> {
  const found = await feed.readAt(events);
  return events.flatMap((event, index) => {
    const change = found[index];
    return change === undefined ? [] : { ...event, change: { ...change, type: event.type ?? change.type } };
  });
}

/** Reads events after a position until `limit` events are found or there are no more. */
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

/** The size is small, because a batch blocks the event loop on SQLite. */
const BATCH_SIZE = 500;

/** Removes events whose changes the journal no longer contains, and rows of deleted monitors, as background work of a server. */
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
      // If the pass has written events for the monitor meanwhile, the monitor stays until these events are removed too.
      if (!(await deleteMonitor(db, number))) return removed;
    }
    return removed;
  }

  return createPruning(log, 'old events of monitors could not be removed', prune);
}
