import { hash } from 'node:crypto';
import type { MonitorEvent, MonitorEvents } from '../monitors/events.ts';

/** Why an endpoint is disabled: by its owner, by the operator, at the receiver's request (410), or because deliveries failed. */
export const disabledReasons = ['owner', 'operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export type EventSource = Pick<MonitorEvents, 'ofAccount' | 'last' | 'findPosition'>;

const MAX_PAYLOAD_BYTES = 20_000;

/** The body of a webhook. If the body would be too large, its longest fields are left out: the receiver can read them from the API. */
export function renderPayload(event: Pick<MonitorEvent, 'type' | 'timestamp'> & { readonly data: object }): string {
  const { type, timestamp, data } = event;
  const write = (content: object) => JSON.stringify({ type, timestamp, data: content });
  let body = write(data);
  for (let kept = Object.entries(data); Buffer.byteLength(body) >= MAX_PAYLOAD_BYTES && kept.length > 0; ) {
    const longest = Math.max(...kept.map(([, value]) => JSON.stringify(value).length));
    kept = kept.filter(([, value]) => JSON.stringify(value).length < longest);
    body = write({ ...Object.fromEntries(kept), isShortened: true });
  }
  return body;
}

/**
 * The header `webhook-id`: constant for an event and an endpoint, so that a receiver can recognize a repetition. A position is not enough: after the
 * accounts store was restored from a backup, another event would get the same position.
 */
export function messageId(
  endpointId: string,
  { monitorId, data }: { readonly monitorId: string; readonly data: { readonly cursor: string } },
): string {
  return `msg_${hash('sha256', `${endpointId} ${monitorId} ${data.cursor}`, 'hex').slice(0, 32)}`;
}
