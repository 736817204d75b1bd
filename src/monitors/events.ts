import { EventEmitter } from 'node:events';
import type { Db } from '../db/db.ts';
import type { MonitorChange } from './monitor.ts';
import { readEventsAfter, readPass } from './store.ts';

/** What all monitors have reported, in one order: for whoever sends events to their owners. */
export interface MonitorEvents {
  /** The events after a position, in order. Those of deleted monitors are left out. */
  after(position: number, limit: number): Promise<MonitorEvent[]>;
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
  readonly accountId: string;
  /** Such as `entity.changed`. */
  readonly type: string;
  /** When the change was published, ISO 8601. */
  readonly timestamp: string;
  readonly data: { readonly monitorId: string } & MonitorChange;
}

export function createMonitorEvents(db: Db): MonitorEvents {
  const emitter = new EventEmitter();
  return {
    async after(position, limit) {
      const found = await readEventsAfter(db, position, limit);
      return found.map(({ position, monitorId, accountId, event }) => {
        const change: MonitorChange = JSON.parse(event);
        const [type, timestamp] = [`entity.${change.type}`, change.occurredAt];
        return { position, monitorId, accountId, type, timestamp, data: { monitorId, ...change } };
      });
    },
    last: async () => (await readPass(db)).position,
    onNew: (listener) => void emitter.on('new', listener),
    announce: () => void emitter.emit('new'),
  };
}
