import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import { makeId } from './ids.ts';
import type { PaymentEvent, PaymentState } from './state.ts';

/** The version whose shapes the sandbox's objects have: the one that the SDK is pinned to. */
const API_VERSION = '2026-10-28.endive';

/** The sandbox's state, its time, and the file both are kept in. */
export interface Ledger {
  readonly state: PaymentState;
  /** Sandbox time in whole seconds, as Stripe counts. */
  now(): number;
  /** Real time in milliseconds. */
  realNow(): number;
  /** Runs `work` as if the sandbox time were `seconds`. */
  at(seconds: number, work: () => void): void;
  /** Moves sandbox time forward, never back. */
  moveTo(seconds: number): void;
  /**
   * Makes one change and writes it to disk before any event of it is sent. `work` has to check before it changes
   * anything.
   */
  change<T>(work: () => T): T;
  /** Adds an event with a snapshot of the object. Call it within a change. */
  record(type: string, object: object): void;
  /** Removes an event that the webhook accepted. If a crash loses this write, the event is only sent again. */
  removeEvent(event: PaymentEvent): void;
  /** Sets the function to call after each change. */
  onChange(listener: () => void): void;
  close(): void;
}

export function openLedger(dataDir: string, clock: Clock): Ledger {
  const path = join(dataDir, 'payments.json');
  const state = readState(path);
  let pinned: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listener = () => {};

  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    writePrivateFile(path, state);
  };
  save();

  const now = () => pinned ?? Math.floor((clock.now() + state.ahead) / 1000);
  return {
    state,
    now,
    realNow: () => clock.now(),
    at(seconds, work) {
      const before = pinned;
      pinned = seconds;
      try {
        work();
      } finally {
        pinned = before;
      }
    },
    moveTo(seconds) {
      state.ahead = Math.max(state.ahead, seconds * 1000 - clock.now());
    },
    change(work) {
      const result = work();
      save();
      listener();
      return result;
    },
    record(type, object) {
      const data = { object: structuredClone(object) };
      const event = { id: makeId('evt'), object: 'event', api_version: API_VERSION, livemode: false } as const;
      state.outbox.push({ ...event, type, created: now(), data });
    },
    removeEvent({ id }) {
      const index = state.outbox.findIndex((event) => event.id === id);
      if (index >= 0) state.outbox.splice(index, 1);
      timer ??= setTimeout(save, 20);
    },
    onChange(added) {
      listener = added;
    },
    close() {
      if (timer !== undefined) save();
    },
  };
}

function readState(path: string): PaymentState {
  const stored = readPrivateFile(path) as Partial<PaymentState> | undefined;
  return stored?.version === 1 ? { ...makeState(), ...stored } : makeState();
}

function makeState(): PaymentState {
  return {
    version: 1,
    secretKey: `sk_test_${randomBytes(32).toString('hex')}`,
    webhookSecret: `whsec_${randomBytes(24).toString('base64url')}`,
    ahead: 0,
    delivery: { duplicate: false, reorder: false, hold: false },
    customers: {},
    checkouts: {},
    portalSessions: {},
    subscriptions: {},
    invoices: {},
    nextPaymentFails: {},
    outbox: [],
    answers: {},
  };
}
