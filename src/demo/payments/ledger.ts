import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import type { Checkout } from './checkout.ts';
import type { Customer, PaymentMethod } from './customers.ts';
import { addEvent, type PaymentEvent } from './events.ts';
import type { Invoice } from './invoices.ts';
import type { PortalSession } from './portal-sessions.ts';
import type { Subscription } from './subscription-object.ts';

/** All the sandbox knows, as it stands on disk. */
export interface PaymentState {
  readonly version: 1;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Milliseconds by which sandbox time is ahead of the clock. */
  ahead: number;
  readonly delivery: { duplicate: boolean; reorder: boolean; hold: boolean };
  readonly customers: Record<string, Customer>;
  readonly paymentMethods: Record<string, PaymentMethod>;
  readonly checkouts: Record<string, Checkout>;
  readonly portalSessions: Record<string, PortalSession>;
  readonly subscriptions: Record<string, Subscription>;
  readonly invoices: Record<string, Invoice>;
  /** Customers whose next payment fails, because somebody wanted to see that. */
  readonly nextPaymentFails: Record<string, true>;
  /** In the order in which they happened. */
  readonly events: PaymentEvent[];
  /** Ids of the events that nobody has accepted yet. */
  readonly undelivered: string[];
  /** What was answered under an idempotency key. */
  readonly answers: Record<string, KeptAnswer>;
}

export interface KeptAnswer {
  readonly fingerprint: string;
  readonly requestId: string;
  readonly body: unknown;
  /** Epoch milliseconds of the real clock. */
  readonly at: number;
}

/** The request behind an event; time that passes is behind some too. */
export interface Cause {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

export const TIME: Cause = { id: null, idempotency_key: null };

export interface Ledger {
  readonly state: PaymentState;
  /** Sandbox time in whole seconds, as Stripe counts. */
  now(): number;
  /** Milliseconds of the real clock. */
  realNow(): number;
  /** Does something at another time than now. */
  at(seconds: number, work: () => void): void;
  /** Moves sandbox time forward, never back. */
  moveTo(seconds: number): void;
  /** One change: as a whole on disk before anybody hears of it. The work refuses before it changes anything. */
  change<T>(cause: Cause, work: () => T): T;
  /** An event of the change under way. */
  record(type: string, object: object, previous?: object): void;
  /** For what may be lost in a crash, because it would only be done again. */
  saveSoon(): void;
  /** Called after each change. */
  onChange(listener: () => void): void;
  close(): void;
}

export function openLedger(dataDir: string, clock: Clock): Ledger {
  const path = join(dataDir, 'payments.json');
  const state = readState(path);
  let pinned: number | undefined;
  let cause = TIME;
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
    change(by, work) {
      const before = cause;
      cause = by;
      try {
        const result = work();
        save();
        listener();
        return result;
      } finally {
        cause = before;
      }
    },
    record: (type, object, previous) => addEvent(state, { type, created: now(), object, previous, cause }),
    saveSoon() {
      timer ??= setTimeout(save, 20);
    },
    onChange(heard) {
      listener = heard;
    },
    close() {
      if (timer !== undefined) save();
    },
  };
}

function readState(path: string): PaymentState {
  const kept = readPrivateFile(path) as Partial<PaymentState> | undefined;
  return kept?.version === 1 ? (kept as PaymentState) : makeState();
}

function makeState(): PaymentState {
  return {
    version: 1,
    secretKey: `sk_test_${randomBytes(32).toString('hex')}`,
    webhookSecret: `whsec_${randomBytes(24).toString('base64url')}`,
    ahead: 0,
    delivery: { duplicate: false, reorder: false, hold: false },
    customers: {},
    paymentMethods: {},
    checkouts: {},
    portalSessions: {},
    subscriptions: {},
    invoices: {},
    nextPaymentFails: {},
    events: [],
    undelivered: [],
    answers: {},
  };
}
