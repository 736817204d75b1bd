import type { ChangeFeed } from '../../journal/feed/feed.ts';
import type { MonitorChange } from '../monitor.ts';
import type { StoredEvent } from './store.ts';

/** Reads what events say. They name their changes, and the journal has these. */
export type ReadAt = Pick<ChangeFeed, 'readAt'>;

export type Resolved<E> = E & { readonly change: MonitorChange };

/** Those whose changes the journal no longer has are left out. */
export async function resolveEvents<E extends StoredEvent>(feed: ReadAt, events: readonly E[]): Promise<Resolved<E>[]> {
  const found = await feed.readAt(events);
  return events.flatMap((event, index) => {
    const change = found[index];
    return change === undefined ? [] : { ...event, change: { ...change, type: event.type ?? change.type } };
  });
}

/** Reads events after a position until there are `limit`, or no more. */
export async function readResolved<E extends StoredEvent>(
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
