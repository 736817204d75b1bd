import { createHmac } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import type { Ledger } from './ledger.ts';
import type { PaymentEvent } from './state.ts';

/**
 * Delivers events to the webhook: signed, oldest first, with retries until they are accepted. It can be configured to
 * misbehave as a network might: every event twice, newest first, or late.
 */
interface Deliveries {
  /** Looks for events to deliver. */
  wake(): void;
  configure(changes: DeliveryChanges): void;
  /** Resolves when no delivery is running or waiting for a retry. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** What is left out stays as it is. */
export interface DeliveryChanges {
  readonly duplicate?: boolean | undefined;
  readonly reorder?: boolean | undefined;
  readonly hold?: boolean | undefined;
  /** Stops holding events, and retries those that were given up. */
  readonly release?: boolean | undefined;
}

interface DeliveryOptions {
  readonly ledger: Ledger;
  readonly webhookUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly retryDelaysMs: readonly number[];
}

const TIMEOUT_MS = 10_000;

export function createDeliveries({ ledger, webhookUrl, clock, log, retryDelaysMs }: DeliveryOptions): Deliveries {
  const { state } = ledger;
  const closing = new AbortController();
  const attempts = new Map<string, number>();
  /** Events that failed, with the timer of the next attempt; undefined if they are given up until the next start. */
  const waiting = new Map<string, NodeJS.Timeout | undefined>();
  let running: Promise<void> | undefined;
  let listeners: (() => void)[] = [];

  function wake(): void {
    if (running !== undefined || closing.signal.aborted) return;
    running = deliverAll().finally(() => {
      running = undefined;
      // Events may have been added after the last batch was taken.
      if (takeBatch().length > 0) wake();
      notifySettled();
    });
  }

  async function deliverAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      for (const event of batch) if (!closing.signal.aborted) await deliver(event);
    }
  }

  function takeBatch(): PaymentEvent[] {
    if (state.delivery.hold || closing.signal.aborted) return [];
    const due = state.outbox.filter(({ id }) => !waiting.has(id));
    if (state.delivery.reorder) due.reverse();
    return state.delivery.duplicate ? [...due, ...due] : due;
  }

  async function deliver(event: PaymentEvent): Promise<void> {
    const problem = await post(event);
    if (closing.signal.aborted) return;
    if (problem === undefined) {
      forgetFailure(event.id);
      ledger.removeEvent(event);
    } else if (state.outbox.includes(event) && !waiting.has(event.id)) postpone(event, problem);
  }

  /** Returns what went wrong, or undefined if the event was accepted. */
  async function post(event: PaymentEvent): Promise<string | undefined> {
    const body = JSON.stringify(event);
    try {
      const response = await fetch(webhookUrl(), {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'User-Agent': 'Stripe/1.0 (+sandbox)',
          'Stripe-Signature': signBody(body, state.webhookSecret, clock.now()),
        },
        body,
      });
      await response.body?.cancel();
      return response.ok ? undefined : `status ${response.status}`;
    } catch (error) {
      return describeProblem(error);
    }
  }

  function postpone({ id, type }: PaymentEvent, problem: string): void {
    const count = attempts.get(id) ?? 0;
    attempts.set(id, count + 1);
    const delay = retryDelaysMs[count];
    const retry = () => {
      waiting.delete(id);
      wake();
    };
    waiting.set(id, delay === undefined ? undefined : setTimeout(retry, delay));
    const outlook = delay === undefined ? 'is kept until the next start' : `is retried in ${delay} ms`;
    log.warn({ event: id, type, problem }, `payment sandbox: an event was not accepted and ${outlook}`);
  }

  function forgetFailure(id: string): void {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
    attempts.delete(id);
  }

  function isSettled(): boolean {
    return running === undefined && [...waiting.values()].every((timer) => timer === undefined);
  }

  function notifySettled(): void {
    if (!isSettled()) return;
    for (const notify of listeners.splice(0)) notify();
  }

  function retryAll(): void {
    for (const id of [...waiting.keys()]) forgetFailure(id);
    wake();
    notifySettled();
  }

  return {
    wake,
    configure({ duplicate, reorder, hold, release = false }) {
      const { delivery } = state;
      ledger.change(() => {
        delivery.duplicate = duplicate ?? delivery.duplicate;
        delivery.reorder = reorder ?? delivery.reorder;
        delivery.hold = release ? false : (hold ?? delivery.hold);
      });
      if (release) retryAll();
    },
    settled: () => (isSettled() ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve))),
    async close() {
      closing.abort();
      for (const id of [...waiting.keys()]) forgetFailure(id);
      await running;
      notifySettled();
      listeners = [];
    },
  };
}

/** Signs with the time of this attempt: with that of the first one, the webhook would reject a retry as a replay. */
function signBody(body: string, secret: string, now: number): string {
  const time = Math.floor(now / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

/** The message of `fetch` is always "fetch failed"; the reason is in the cause. */
function describeProblem(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}
