import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Office, TestAccount } from '../harness/keys.ts';
import { type Answer, of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { until } from '../harness/until.ts';

/**
 * What goes on while something is broken: callers that are charged, and a payment provider that delivers one event after the
 * other, each again until it is acknowledged. `end` checks what must hold whatever was broken.
 */
export interface PressureOptions {
  readonly office: Office;
  readonly urls: () => readonly string[];
  readonly paths?: readonly string[];
  readonly callers?: number;
  readonly pauseMs?: number;
  /**
   * What callers may be told besides 200: 0 is a broken connection, where a process dies. Where they should notice
   * nothing, a few may be told 503 all the same: the meter gives up after 1.5 s, which a busy machine can take.
   */
  readonly allowed: readonly string[];
}

export interface Pressure {
  readonly answers: readonly Answer[];
  /** Until each server has served what it was asked from now on; how long that took, in milliseconds. */
  untilServed(ms?: number): Promise<number>;
  end(): Promise<Outcome>;
  /** Stops it where a test has failed before its end. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Outcome {
  readonly answers: readonly Answer[];
  readonly summary: string;
}

export async function startPressure(options: PressureOptions): Promise<Pressure> {
  const { office, urls, paths = [SEARCH], callers = 30, pauseMs = 40, allowed } = options;
  const account = await office.createAccount({ keys: 20 });
  const events = await deliverEvents(office, urls);
  const traffic = startTraffic({ urls: urls(), paths, keys: account.keys, callers, pauseMs });
  await until('there is load', () => traffic.answers.length > callers);

  return {
    answers: traffic.answers,
    async untilServed(ms = 30_000) {
      const from = performance.now();
      const serves = (url: string) =>
        traffic.answers.some((answer) => answer.url === url && answer.status === 200 && answer.sentAt > from);
      await until('every server serves again', () => urls().every(serves), ms);
      return Math.round(performance.now() - from);
    },
    async end() {
      const answers = await traffic.stop();
      const acknowledged = await events.stop();
      const refused = of(503, answers).length;
      if (!allowed.includes(UNAVAILABLE)) assert.ok(refused <= answers.length / 20, JSON.stringify(tally(answers)));
      checkErrors(answers, [...allowed, UNAVAILABLE]);
      const charges = await checkCharges(office, account, answers);
      return { answers, summary: `${JSON.stringify(tally(answers))}, ${charges}, ${acknowledged} events acknowledged` };
    },
    async [Symbol.asyncDispose]() {
      events.abandon();
      await traffic.stop();
    },
  };
}

const UNAVAILABLE = '503 service_unavailable';

/** Errors in the documented shape, and no others than expected. */
export function checkErrors(answers: readonly Answer[], allowed: readonly string[]): void {
  const strange = Object.keys(tally(answers)).filter((kind) => !['200', ...allowed].includes(kind));
  assert.deepEqual(strange, [], JSON.stringify(tally(answers)));
  for (const { status, headers } of answers) {
    if (status === 0) continue;
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    assert.match(String(headers['content-type']), /^application\/json/);
    if (status === 503 || status === 429) assert.ok(Number(headers['retry-after']) >= 1, `${status} without a time`);
  }
}

/** Nothing served uncharged; nothing charged for nothing but what was in hand when something broke. */
export async function checkCharges(office: Office, account: TestAccount, answers: readonly Answer[]): Promise<string> {
  const { quota, daily } = await office.settle(account.accountId);
  const [served, charged] = [of(200, answers).length, quota - account.usedBefore];
  const unsure = of(0, answers).length + of(503, answers).length;
  assert.ok(charged >= served, `${served} were served and ${charged} charged`);
  assert.ok(charged - served <= unsure, `${served} were served and ${charged} charged, ${unsure} broken off`);
  assert.equal(daily, charged, 'charts and quota differ');
  return `${charged - served} charged for nothing`;
}

/** One subscription that changes with every event: what it ends in is what the last event says. */
async function deliverEvents(office: Office, urls: () => readonly string[]) {
  const { accountId } = await office.createAccount({ plan: 'free' });
  const first = Math.floor(Date.now() / 1_000) - 100_000;
  const ids: string[] = [];
  let going = true;
  let abandoned = false;
  let attempts = 0;

  async function deliver(text: string): Promise<void> {
    for (;;) {
      const url = urls()[attempts++ % urls().length];
      const headers = { 'content-type': 'application/json', 'stripe-signature': sign(text, Date.now()) };
      const init = { method: 'POST', headers, body: text, signal: AbortSignal.timeout(20_000) };
      const reply = await fetch(`${url}/api/v1/billing/webhook`, init).catch(() => undefined);
      await reply?.arrayBuffer().catch(() => undefined);
      if (reply?.status === 200 || abandoned) return;
      await sleep(50);
    }
  }

  async function deliverAll(): Promise<void> {
    while (going) {
      const id = `evt_${randomUUID()}`;
      const price = ids.length % 2 === 0 ? PRICES.pro : PRICES.business;
      const object = renderSubscription({ id: `sub_${accountId}`, accountId, price });
      await deliver(renderEvent({ id, type: 'customer.subscription.updated', created: first + ids.length, object }));
      ids.push(id);
      await sleep(20);
    }
  }

  const delivering = deliverAll();
  return {
    abandon() {
      going = false;
      abandoned = true;
    },
    /** Nothing acknowledged is lost: each event is stored and applied, and the last one counts. */
    async stop(): Promise<number> {
      going = false;
      await delivering;
      const { accountsDb } = office.services;
      const rows = await accountsDb.all<{ id: string; outcome: string | null }>(
        'SELECT id, outcome FROM billing_events',
      );
      const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
      for (const id of ids) assert.equal(outcomes.get(id), 'applied', `${id} was acknowledged`);
      const account = await accountsDb.one<{ plan: string }>('SELECT plan FROM accounts WHERE id = $1', [accountId]);
      assert.equal(account?.plan, ids.length % 2 === 1 ? 'pro' : 'business', 'the last event does not count');
      return ids.length;
    },
  };
}
