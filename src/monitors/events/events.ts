import { EventEmitter } from 'node:events';
import type { Db } from '../../db/db.ts';
import { readStart } from '../../journal/feed/cursor.ts';
import type { MonitorChange } from '../monitor.ts';
import { readPass } from '../store.ts';
import { type ReadAt, type Resolved, readResolved } from './resolve.ts';
import { type AccountEvent, findPosition, readAccountEvents, toPlace } from './store.ts';

/** What all monitors have reported, in one order. Webhooks are sent from it. */
export interface MonitorEvents {
  /**
   * The events of an account after a position, in order. Those of deleted monitors are left out. `monitorIds` is a JSON array; null: of
   * all its monitors.
   */
  ofAccount(accountId: string, monitorIds: string | null, position: number, limit: number): Promise<MonitorEvent[]>;
  /** The position of the last event up to this cursor of the journal, 0 if there is none. */
  findPosition(cursor: string): Promise<number>;
  /** The position of the last event, 0 if there was none. Positions increase, and never appear after higher ones. */
  last(): Promise<number>;
  /** Calls the listener when this process has written events. Other processes may write them, too: also look from time to time. */
  onNew(listener: () => void): void;
  /** Calls all listeners. */
  announce(): void;
}

export interface MonitorEvent {
  readonly position: number;
  readonly monitorId: string;
  /** Such as `entity.changed`. */
  readonly type: string;
  /** When the change was published, ISO 8601. */
  readonly timestamp: string;
  readonly data: { readonly monitorId: string } & MonitorChange;
}

export function createMonitorEvents(db: Db, changes: ReadAt): MonitorEvents {
  const emitter = new EventEmitter();
  return {
    async ofAccount(accountId, monitorIds, ...given) {
      const read = (position: number, limit: number) => readAccountEvents(db, accountId, monitorIds, position, limit);
      return (await readResolved(changes, read, ...given)).map(describeEvent);
    },
    findPosition: (cursor) => findPosition(db, toPlace(readStart(cursor))),
    last: async () => (await readPass(db)).position,
    onNew: (listener) => void emitter.on('new', listener),
    announce: () => void emitter.emit('new'),
  };
}

function describeEvent({ position, monitorId, change }: Resolved<AccountEvent>): MonitorEvent {
  const [type, timestamp] = [`entity.${change.type}`, change.occurredAt];
  return { position, monitorId, type, timestamp, data: { monitorId, ...change } };
}
