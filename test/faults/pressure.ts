import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runs } from '../harness/depth.ts';
import type { Office, TestAccount } from '../harness/keys.ts';
import { type Answer, of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { until } from '../harness/until.ts';

/**
 * Load while something is broken: callers that are charged, and a payment provider that delivers one event after another
 * and retries each until it is acknowledged. `end` checks what must hold after any fault.
 */
export interface PressureOptions {
  readonly office: Office;
  readonly urls: () => readonly string[];
  readonly paths?: readonly string[];
  readonly callers?: number;
  readonly pauseMs?: number;
  /**
   * Expected answers besides 200. 0 is a broken connection, for tests that kill a process. A few 503 are always
   * accepted, because the meter times out after 1.5 s, which can happen on a busy machine.
   */
  readonly allowed: readonly string[];
}

export interface Pressure {
  readonly answers: readonly Answer[];
  /** Waits until each server has served a request sent from now on. Returns the time this took, in milliseconds. */
  untilServed(): Promise<number>;
  end(): Promise<Outcome>;
  /** Stops the load if the test fails before `end`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Outcome {
  readonly answers: readonly Answer[];
  readonly summary: string;
}

export async function startPressure(options: PressureOptions): Promise<Pressure> {
  const { office, urls, paths = [SEARCH], callers = runs(10, 30), pauseMs = runs(250, 40), allowed } = options;
  const account = await office.createAccount({ keys: 20 });
  const events = await deliverEvents(office, urls);
  const traffic = startTraffic({ urls: urls(), paths, keys: account.keys, callers, pauseMs });
  await until('there is load', () => traffic.answers.length > callers);

  return {
    answers: traffic.answers,
    async untilServed() {
      const from = performance.now();
      const serves = (url: string) =>
        traffic.answers.some((answer) => answer.url === url && answer.status === 200 && answer.sentAt > from);
      await until('every server serves again', () => urls().every(serves)).catch((error: Error) => {
        const kinds = urls().map((url) => tally(traffic.answers.filter((answer) => answer.url === url)));
        throw new Error(`${error.message}; answers per server: ${JSON.stringify(kinds)}`);
      });
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

/** Checks that errors have the documented shape and that only expected ones occur. */
function checkErrors(answers: readonly Answer[], allowed: readonly string[]): void {
  const strange = Object.keys(tally(answers)).filter((kind) => !['200', ...allowed].includes(kind));
  assert.deepEqual(strange, [], JSON.stringify(tally(answers)));
  for (const { status, headers } of answers) {
    if (status === 0) continue;
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    assert.match(String(headers['content-type']), /^application\/json/);
    if (status === 503 || status === 429)
      assert.ok(Number(headers['retry-after']) >= 1, `${status} without Retry-After`);
  }
}

/** Checks that every served request is charged, and that only requests in flight during a fault are charged in vain. */
async function checkCharges(office: Office, account: TestAccount, answers: readonly Answer[]): Promise<string> {
  const { quota, daily } = await office.settle(account.accountId);
  const [served, charged] = [of(200, answers).length, quota - account.usedBefore];
  const interrupted = of(0, answers).length + of(503, answers).length;
  assert.ok(charged >= served, `${served} were served and ${charged} charged`);
  assert.ok(
    charged - served <= interrupted,
    `${served} were served and ${charged} charged, ${interrupted} interrupted`,
  );
  assert.equal(daily, charged, 'the daily charts and the quota differ');
  return `${charged - served} charged in vain`;
}

/** Delivers events of one subscription that changes its price with every event, so the last event decides the plan. */
async function deliverEvents(office: Office, urls: () => readonly string[]) {
  const { accountId } = await office.createAccount({ plan: 'free' });
  const first = Math.floor(Date.now() / 1_000) - 100_000;
  const ids: string[] = [];
  let isRunning = true;
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
    while (isRunning) {
      const id = `evt_${randomUUID()}`;
      const price = ids.length % 2 === 0 ? PRICES.pro : PRICES.business;
      const object = renderSubscription({ id: `sub_${accountId}`, accountId, price });
      await deliver(renderEvent({ id, type: 'customer.subscription.updated', created: first + ids.length, object }));
      ids.push(id);
      await sleep(runs(200, 20));
    }
  }

  const delivering = deliverAll();
  return {
    abandon() {
      isRunning = false;
      abandoned = true;
    },
    /** Checks that no acknowledged event is lost: each is stored and applied, and the last one decides. */
    async stop(): Promise<number> {
      isRunning = false;
      await delivering;
      const { accountsDb } = office.services;
      const rows = await accountsDb.all<{ id: string; outcome: string | null }>(
        'SELECT id, outcome FROM billing_events',
      );
      const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
      for (const id of ids) assert.equal(outcomes.get(id), 'applied', `${id} was acknowledged but not applied`);
      const account = await accountsDb.one<{ plan: string }>('SELECT plan FROM accounts WHERE id = $1', [accountId]);
      assert.equal(account?.plan, ids.length % 2 === 1 ? 'pro' : 'business', 'the last event does not decide the plan');
      return ids.length;
    },
  };
}
