import { isDeepStrictEqual } from 'node:util';
import { makeId } from './ids.ts';
import type { Cause, PaymentState } from './ledger.ts';

/** The version whose shapes the sandbox's objects have: the one that the SDK is pinned to. */
export const API_VERSION = '2026-10-28.endive';

/** Events that were delivered are kept for listing, the newest so many. */
const KEPT_EVENTS = 1_000;

/** As it is kept: the snapshot as text, for a thousand of them are written with every change. */
export type PaymentEvent = ReturnType<typeof makeEvent>;

interface Happening {
  readonly type: string;
  readonly created: number;
  readonly object: object;
  readonly previous: object | undefined;
  readonly cause: Cause;
}

/** Notes what happened, with the object as it is at this moment, and that it is to be delivered. */
export function addEvent(state: PaymentState, happening: Happening): void {
  const event = makeEvent(happening);
  state.events.push(event);
  state.undelivered.push(event.id);
  dropOldEvents(state);
}

function makeEvent({ type, created, object, previous, cause }: Happening) {
  return {
    id: makeId('evt'),
    object: 'event' as const,
    api_version: API_VERSION,
    created,
    data: JSON.stringify({ object, ...(previous && { previous_attributes: previous }) }),
    livemode: false,
    pending_webhooks: 1,
    request: { ...cause },
    type,
  };
}

/** As others see it. */
export function showEvent(event: PaymentEvent): Omit<PaymentEvent, 'data'> & { data: object } {
  return { ...event, data: JSON.parse(event.data) };
}

export function markDelivered({ undelivered }: PaymentState, event: PaymentEvent): void {
  event.pending_webhooks = 0;
  const place = undelivered.indexOf(event.id);
  if (place >= 0) undelivered.splice(place, 1);
}

function dropOldEvents({ events, undelivered }: PaymentState): void {
  const surplus = events.length - KEPT_EVENTS;
  if (surplus <= 0) return;
  const kept = new Set(undelivered);
  const dropped = new Set(events.filter(({ id }) => !kept.has(id)).slice(0, surplus));
  events.splice(0, Infinity, ...events.filter((event) => !dropped.has(event)));
}

/** The former values of what differs; of metadata only the names that do, null for those that are new. */
export function findPreviousAttributes(before: object, after: object): Record<string, unknown> | undefined {
  const [old, current]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(old?.[name], current?.[name]));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, previousValue(name, old?.[name], current?.[name])]));
}

function previousValue(name: string, old: unknown, current: unknown): unknown {
  if (name === 'items') return { data: (old as { data: unknown }).data };
  if (name === 'metadata') return findPreviousAttributes(old as object, current as object);
  return old ?? null;
}
