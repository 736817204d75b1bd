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
  readonly data: object & { readonly entityId: string | null };
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

/** The body of a webhook. What would make it too large is left out: the receiver can read it from the API. */
export function renderPayload({ type, timestamp, data }: Pick<MonitorEvent, 'type' | 'timestamp' | 'data'>): string {
  const write = (content: object) => JSON.stringify({ type, timestamp, data: content });
  const body = write(data);
  if (Buffer.byteLength(body) < MAX_PAYLOAD_BYTES) return body;
  const short = Object.entries(data).filter(([, value]) => JSON.stringify(value).length <= 200);
  return write({ ...Object.fromEntries(short), isShortened: true });
}

/** The header `webhook-id`: always the same for an event and an endpoint, so that a receiver can recognize a repetition. */
export function messageId(endpointId: string, position: number): string {
  return `msg_${hash('sha256', `${endpointId} ${position}`, 'hex').slice(0, 32)}`;
}
