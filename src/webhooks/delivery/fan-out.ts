import type { Clock } from '../../core/clock.ts';
import type { Db } from '../../db/db.ts';
import { type EventSource, type MonitorEvent, messageId, renderPayload } from '../events.ts';
import { advanceEndpoint, listEnabledEndpoints, type StoredEndpoint } from '../store.ts';
import { countWaiting, insertDeliveries, type NewDelivery } from './store.ts';

/** Events that are read at a time. */
const BATCH_SIZE = 100;
/** No more deliveries of an endpoint wait than this and a batch. Further events stay where they are until there is room. */
const MAX_WAITING = 500;

/**
 * Creates deliveries from events. Every endpoint has a position of its own, which moves on in the transaction that adds the
 * deliveries: no event is skipped or added twice, however often this is interrupted.
 */
export function createFanOut({ db, clock, events }: { db: Db; clock: Clock; events: EventSource }) {
  /** What was read to its end, by endpoint: its position and that of the newest event. Nothing is new until one of them changes. */
  const readUpTo = new Map<string, string>();

  /** Adds deliveries until all events are read, and returns the position. Undefined if enough wait, or if the endpoint has changed. */
  async function addDeliveries(endpoint: StoredEndpoint): Promise<number | undefined> {
    const { id, accountId, monitorIds } = endpoint;
    const wanted = monitorIds === null ? undefined : new Set<string>(JSON.parse(monitorIds));
    let { position } = endpoint;
    while ((await countWaiting(db, id)) < MAX_WAITING) {
      const found = await events.ofAccount(accountId, position, BATCH_SIZE);
      const newest = found.at(-1);
      if (newest === undefined) return position;
      const chosen = found.filter(({ monitorId }) => wanted?.has(monitorId) ?? true);
      const isAdded = await db.transaction(async (tx) => {
        if (!(await advanceEndpoint(tx, id, position, newest.position))) return false;
        await insertDeliveries(
          tx,
          chosen.map((event) => describe(endpoint, event)),
          clock.now(),
        );
        return true;
      });
      if (!isAdded) return undefined;
      position = newest.position;
      if (found.length < BATCH_SIZE) return position;
    }
    return undefined;
  }

  return async (signal: AbortSignal): Promise<void> => {
    const last = await events.last();
    const endpoints = await listEnabledEndpoints(db);
    const ids = new Set(endpoints.map(({ id }) => id));
    for (const id of readUpTo.keys()) if (!ids.has(id)) readUpTo.delete(id);
    for (const endpoint of endpoints) {
      if (signal.aborted) return;
      const { id, position } = endpoint;
      if (position >= last || readUpTo.get(id) === `${position} ${last}`) continue;
      const reached = await addDeliveries(endpoint);
      if (reached !== undefined) readUpTo.set(id, `${reached} ${last}`);
    }
  };
}

function describe({ id: endpointId }: StoredEndpoint, event: MonitorEvent): NewDelivery {
  const { position, type, data } = event;
  const entityId = data.entityId ?? '';
  return {
    id: messageId(endpointId, position),
    endpointId,
    position,
    entityId,
    type,
    payload: renderPayload(event),
    units: 1,
  };
}
