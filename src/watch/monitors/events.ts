import { changeInBatches } from '../../base/db/batches.ts';
import type { Db, Transaction } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { createPruning } from '../../base/system/background-work.ts';
import { chooseLater, parseStart, writeCursor } from '../feed/cursor.ts';
import type { ChangeFeed } from '../feed/feed.ts';
import { createLogReader, splitPage } from '../log.ts';
import type { MonitorChange } from './monitor.ts';
import * as store from './store.ts';

export interface MonitorEvent {
  readonly monitorId: string;
  /** The type of the event, such as `entity.changed`. */
  readonly type: string;
  readonly timestamp: string;
  readonly position: number;
  /** The change, and the id of the monitor. */
  readonly data: object & { readonly monitorId: string; readonly cursor: string; readonly entityId: string | null };
}

export type MonitorEvents = ReturnType<typeof createMonitorEvents>;

/** The events of all monitors in one order, from which webhooks and e-mails are sent. */
export function createMonitorEvents(db: Db, changes: Pick<ChangeFeed, 'readAt'>) {
  return {
    /**
     * The events of an account after a position, in order, and the position of the last event that was read. Events of deleted monitors, and events
     * whose changes the journal no longer contains, are left out. `monitorIds` is a JSON array; null stands for all monitors of the account.
     */
    async ofAccount(accountId: string, monitorIds: string | null, position: number, limit: number) {
      const found = await store.listAccountEvents(db, accountId, monitorIds, position, limit);
      const events = (await resolveEvents(changes, found)).map(({ position, monitorId, change }): MonitorEvent => {
        const [type, timestamp] = [`entity.${change.type}`, change.occurredAt];
        return { position, monitorId, type, timestamp, data: { monitorId, ...change } };
      });
      return { events, position: found.at(-1)?.position ?? position, hasMore: found.length === limit };
    },
    /** The position of the last event up to this cursor of the journal, 0 if there is no event. */
    findPosition: (cursor: string): Promise<number> => store.findPosition(db, parseStart(cursor)),
    /** The position of the last event, 0 if there was none. No event appears later with a lower position. */
    last: async (): Promise<number> => (await store.findPass(db)).position,
  };
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

/** How clients read the changes of a monitor, by cursors of the journal. Throws `monitor_not_found`, and `cursor_expired` like the journal. */
export function createMonitorChanges(db: Db, changes: Pick<ChangeFeed, 'findEnds' | 'requirePlace' | 'readAt'>) {
  async function read({ accountId, id, cursor, limit }: MonitorPageRequest) {
    const monitor = await store.requireMonitor(db, accountId, id);
    const oldest = (await changes.findEnds()).start;
    // Read before the events: events that are written meanwhile are after this cursor, so the next page finds them.
    const { cursor: passed, position } = await store.findPass(db);
    const end = passed ?? monitor.cursor;
    const start = cursor === 'now' ? end : (cursor ?? writeCursor(oldest));
    if (start === cursor) await changes.requirePlace(parseStart(cursor));
    const after = await store.findPosition(db, parseStart(start));
    const found = await store.listEvents(db, monitor.number, after, limit + 1);
    const { data: events, hasMore } = splitPage(found, limit);
    const data = (await resolveEvents(changes, events)).map(({ change }) => change);
    const last = events.at(-1);
    const seen = last === undefined ? start : writeCursor(last);
    const nextCursor = hasMore ? seen : chooseLater(end, seen);
    const page: MonitorPage = { data, meta: { nextCursor, hasMore, oldest: writeCursor(oldest) } };
    return { page, newest: String(position) };
  }

  return {
    ...createLogReader(read, async () => String((await store.findPass(db)).position)),
    async readLatest(accountId: string, id: string, limit: number): Promise<MonitorChange[]> {
      const { number } = await store.requireMonitor(db, accountId, id);
      return (await resolveEvents(changes, await store.listLatestEvents(db, number, limit))).map(
        ({ change }) => change,
      );
    },
  };
}

/**
 * Adds its change to each event: events store only the place of a change in the journal. Leaves out events whose changes the journal no longer contains.
 */
async function resolveEvents<E extends store.StoredEvent>(feed: Pick<ChangeFeed, 'readAt'>, events: readonly E[]) {
  const found = await feed.readAt(events);
  return events.flatMap((event, index): (E & { readonly change: MonitorChange })[] => {
    const change = found[index];
    return change === undefined ? [] : [{ ...event, change: { ...change, type: event.type ?? change.type } }];
  });
}

/** The size is small, because a batch blocks the event loop on SQLite. */
const BATCH_SIZE = 500;

/** Removes events whose changes the journal no longer contains, and rows of deleted monitors, as background work of a server. */
export function createMonitorPruning(db: Db, changes: Pick<ChangeFeed, 'findEnds'>, log: Log) {
  async function prune(signal?: AbortSignal): Promise<number> {
    const remove = (change: (tx: Transaction, limit: number) => Promise<number>) =>
      changeInBatches({ db, name: 'monitor pruning', size: BATCH_SIZE, signal }, change);
    const { start } = await changes.findEnds();
    let removed = await remove((tx, limit) => store.deleteOldEvents(tx, start, limit));
    for (const what of ['event', 'entity'] as const)
      removed += await remove((tx, limit) => store.deleteRest(tx, what, limit));
    await remove(store.deleteMonitors);
    return removed;
  }

  return createPruning(log, 'old events of monitors could not be removed', prune);
}
