import { hash } from 'node:crypto';

/** What the monitors of an account have found, as deliveries are made from it. */
export interface MonitorEvent {
  /** Increases with every event of the installation. */
  readonly position: number;
  readonly monitorId: string;
  /** Such as `entity.changed`. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: object & { readonly cursor: string; readonly entityId: string | null };
}

export interface EventSource {
  /** The events of an account after this position, in order. `monitorIds` is a JSON array; null: of all its monitors. */
  ofAccount(accountId: string, monitorIds: string | null, position: number, limit: number): Promise<MonitorEvent[]>;
  /** The position of the newest event of the installation. */
  last(): Promise<number>;
  /** The position of the last event up to this cursor of the changes, 0 if there is none. */
  findPosition(cursor: string): Promise<number>;
  /** Calls the listener when this process has found events. Other processes may find some, too. */
  onNew(listener: () => void): void;
}

const MAX_PAYLOAD_BYTES = 20_000;

/** The body of a webhook. If it would be too large, its longest fields are left out: the receiver can read them from the API. */
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
 * The header `webhook-id`: always the same for an event and an endpoint, so that a receiver can recognize a repetition. A position
 * would not do: after the accounts store was restored from a backup, another event gets it.
 */
export function messageId(endpointId: string, { monitorId, data }: Pick<MonitorEvent, 'monitorId' | 'data'>): string {
  return `msg_${hash('sha256', `${endpointId} ${monitorId} ${data.cursor}`, 'hex').slice(0, 32)}`;
}
