import type { Clock } from '../../core/clock.ts';
import type { Db } from '../../db/db.ts';
import { type EventSource, type MonitorEvent, messageId, renderPayload } from '../events.ts';
import { advanceEndpoint, holdDeliveries, listBehind, type StoredEndpoint } from '../store.ts';
import { countWaiting, insertDeliveries, type NewDelivery } from './store.ts';

/** Events that are read at a time. */
const BATCH_SIZE = 100;
/** No more deliveries of an endpoint wait than this and a batch. Further events stay where they are until there is room. */
const MAX_WAITING = 500;
/** A transaction adds deliveries of several endpoints, because a commit takes longer than adding them. On SQLite it blocks the event loop. */
const MAX_ADDED = 1_000;

/**
 * Creates deliveries from events. Every endpoint has a position of its own, which moves on in the transaction that adds the
 * deliveries: no event is skipped or added twice, however often this is interrupted.
 */
export function createFanOut({ db, clock, events }: { db: Db; clock: Clock; events: EventSource }) {
  /** What was read to its end, by endpoint: where it is, the newest event, and its choice. Nothing is new until one of them changes. */
  const readUpTo = new Map<string, string>();

  /** Undefined if enough deliveries wait. */
  async function readNext(endpoint: StoredEndpoint): Promise<Next | undefined> {
    const { id, accountId, monitorIds, position } = endpoint;
    if ((await countWaiting(db, id)) >= MAX_WAITING) return undefined;
    const found = await events.ofAccount(accountId, monitorIds, position, BATCH_SIZE);
    return {
      endpoint,
      to: found.at(-1)?.position ?? position,
      isLast: found.length < BATCH_SIZE,
      deliveries: found.map((event) => describe(endpoint, event)),
    };
  }

  /** Leaves out endpoints that have changed since they were read. */
  async function add(all: readonly Next[]): Promise<void> {
    await db.transaction(async (tx) => {
      await holdDeliveries(tx);
      const rows: NewDelivery[] = [];
      for (const { endpoint, to, deliveries } of all) {
        if (await advanceEndpoint(tx, endpoint, to)) rows.push(...deliveries);
      }
      await insertDeliveries(tx, rows, clock.now());
    });
  }

  /** Adds deliveries of some endpoints that are behind. */
  return async (signal: AbortSignal): Promise<Backlog> => {
    const last = await events.last();
    const endpoints = await listBehind(db, last);
    const ids = new Set(endpoints.map(({ id }) => id));
    for (const id of readUpTo.keys()) if (!ids.has(id)) readUpTo.delete(id);
    const key = ({ position, monitorIds }: StoredEndpoint) => `${position} ${last} ${monitorIds}`;
    const behind = endpoints.filter((each) => readUpTo.get(each.id) !== key(each));
    const found: Next[] = [];
    let isFull = false;
    for (let size = 0; size < MAX_ADDED && behind.length > 0 && !signal.aborted; ) {
      const endpoint = behind.shift() as StoredEndpoint;
      const next = await readNext(endpoint);
      isFull ||= next === undefined;
      if (next === undefined) continue;
      if (next.isLast) readUpTo.set(endpoint.id, key({ ...endpoint, position: next.to }));
      if (next.to !== endpoint.position) found.push(next);
      size += next.deliveries.length;
    }
    if (found.length === 0) return isFull ? 'full' : 'none';
    await add(found);
    return 'added';
  };
}

/** Whether there may be more to add: at once if some were `added`, or when something was delivered if endpoints are `full`. */
export type Backlog = 'none' | 'added' | 'full';

/** The next events of an endpoint. */
interface Next {
  readonly endpoint: StoredEndpoint;
  /** The position of the last one. */
  readonly to: number;
  /** Whether there were no more. */
  readonly isLast: boolean;
  readonly deliveries: readonly NewDelivery[];
}

function describe({ id: endpointId }: StoredEndpoint, event: MonitorEvent): NewDelivery {
  const { position, type, data } = event;
  const entityId = data.entityId ?? '';
  return {
    id: messageId(endpointId, event),
    endpointId,
    position,
    entityId,
    type,
    payload: renderPayload(event),
    units: 1,
  };
}
