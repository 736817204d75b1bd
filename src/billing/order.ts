import { type Subscription, sameState } from './subscription.ts';

/** The place of a state in the history of its subscription, taken from the event that reported it. A state never replaces a later one. */
export interface Position {
  /** The time of the event, in whole seconds of the provider's clock. */
  readonly asOf: number;
  readonly eventRank: number;
  readonly eventId: string | null;
}

/** The state of a subscription that an event reports: the complete state, not a difference. */
export interface Snapshot {
  readonly state: Subscription;
  readonly position: Position;
}

interface SubscriptionEvent {
  /** The order within one second: an end beats a change, and a change beats the beginning. */
  readonly rank: number;
  /** The status after an event that ends the live state. Replaces a status in the payload that is still live. */
  readonly status?: string;
}

/** The events that report the state of a subscription. */
export const SUBSCRIPTION_EVENTS: ReadonlyMap<string, SubscriptionEvent> = new Map([
  ['customer.subscription.created', { rank: 1 }],
  ['customer.subscription.updated', { rank: 2 }],
  ['customer.subscription.paused', { rank: 2, status: 'paused' }],
  ['customer.subscription.resumed', { rank: 2 }],
  ['customer.subscription.deleted', { rank: 3, status: 'canceled' }],
]);

/**
 * Compares an event with the stored state. Events arrive late, twice and in any order; the first row that applies decides:
 *
 * | Event and stored state                        | Verdict | What happens                                  |
 * | --------------------------------------------- | ------- | --------------------------------------------- |
 * | different seconds: the event's is later       | newer   | the event's state is stored                   |
 * | different seconds: the event's is earlier     | older   | nothing changes, the event is stale           |
 * | same second: the event's rank is higher       | newer   | the event's state is stored                   |
 * | same second: the event's rank is lower        | older   | nothing changes, the event is stale           |
 * | same event, as with `billing replay`          | newer   | the event's state is stored again             |
 * | same second and rank, equal states            | same    | nothing changes                               |
 * | same second and rank, different states        | tie     | the provider's answer chooses (`settle`)      |
 */
export function compare(
  known: Subscription & Position,
  { state, position }: Snapshot,
): 'newer' | 'older' | 'same' | 'tie' {
  const order = position.asOf - known.asOf || position.eventRank - known.eventRank;
  if (order !== 0) return order > 0 ? 'newer' : 'older';
  if (position.eventId === known.eventId) return 'newer';
  return sameState(known, state) ? 'same' : 'tie';
}
