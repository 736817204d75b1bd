import { createHmac } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { markDelivered, type PaymentEvent, showEvent } from './events.ts';
import type { Ledger } from './ledger.ts';

/**
 * Brings events to the webhook: signed, in the order in which they happened, again and again until somebody accepts
 * them. On request it behaves as badly as the network may: every event twice, or the latest first.
 */
export interface Deliveries {
  /** Looks for events to deliver. */
  wake(): void;
  /** Also those that were given up. */
  retryAll(): void;
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface DeliveryOptions {
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
  /** Events that failed: with the timer of their next attempt, or without one when they are given up until the next start. */
  const waiting = new Map<string, NodeJS.Timeout | undefined>();
  let running: Promise<void> | undefined;
  let heard: (() => void)[] = [];

  function wake(): void {
    if (running !== undefined || closing.signal.aborted) return;
    running = deliverAll().finally(() => {
      running = undefined;
      // What came in after the last look.
      if (takeBatch().length > 0) wake();
      tellSettled();
    });
  }

  async function deliverAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      for (const event of batch) if (!closing.signal.aborted) await deliver(event);
    }
  }

  function takeBatch(): PaymentEvent[] {
    if (state.delivery.hold || closing.signal.aborted) return [];
    const undelivered = new Set(state.undelivered);
    const due = state.events.filter(({ id }) => undelivered.has(id) && !waiting.has(id));
    if (state.delivery.reorder) due.reverse();
    return state.delivery.duplicate ? [...due, ...due] : due;
  }

  async function deliver(event: PaymentEvent): Promise<void> {
    const problem = await post(event);
    if (closing.signal.aborted) return;
    if (problem === undefined) {
      forgetFailure(event.id);
      markDelivered(state, event);
      ledger.saveSoon();
    } else if (state.undelivered.includes(event.id) && !waiting.has(event.id)) postpone(event, problem);
  }

  /** Undefined when it was accepted. */
  async function post(event: PaymentEvent): Promise<string | undefined> {
    const body = JSON.stringify(showEvent(event), null, 2);
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
    const plan = delay === undefined ? 'is kept until the next start' : `is tried again in ${delay} ms`;
    log.warn({ event: id, type, problem }, `payment sandbox: an event was not accepted and ${plan}`);
  }

  function forgetFailure(id: string): void {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
    attempts.delete(id);
  }

  function isSettled(): boolean {
    return running === undefined && [...waiting.values()].every((timer) => timer === undefined);
  }

  function tellSettled(): void {
    if (!isSettled()) return;
    for (const tell of heard.splice(0)) tell();
  }

  return {
    wake,
    retryAll() {
      for (const id of [...waiting.keys()]) forgetFailure(id);
      wake();
      tellSettled();
    },
    settled: () => (isSettled() ? Promise.resolve() : new Promise((resolve) => heard.push(resolve))),
    async close() {
      closing.abort();
      for (const id of [...waiting.keys()]) forgetFailure(id);
      await running;
      tellSettled();
      heard = [];
    },
  };
}

/** Signed with the time at which it is sent, so that a late attempt is not taken for a recorded one. */
function signBody(body: string, secret: string, now: number): string {
  const time = Math.floor(now / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

/** What fetch says is "fetch failed"; why stands in the cause. */
function describeProblem(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}
