import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createBrowser } from '../harness/browser-session.ts';
import { boundMs, runs } from '../harness/depth.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import type { TestAccount } from '../harness/keys.ts';
import { type Machines, startMachines } from '../harness/machines.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { until } from '../harness/until.ts';
import { testChangeFeed } from './changes.ts';
import { testFollowing } from './following.ts';
import { testImport } from './import.ts';
import { testRollingRestart } from './rolling-restart.ts';
import { testUpgrade } from './upgrade.ts';

const MACHINES = runs(2, 3);
const ALL = Array.from({ length: MACHINES }, (_, at) => at);

/**
 * Several machines behave as one service: each test takes its steps on different machines. `test/races` tests them under
 * load and when they are killed.
 */
describe(`${MACHINES} machines on one PostgreSQL`, () => {
  let machines: Machines;
  let idp: TestIdentityProvider;
  let publicUrl = '';
  before(async () => {
    idp = await startIdentityProvider(() => publicUrl);
    machines = await startMachines(MACHINES, { env: () => idp.env });
    publicUrl = machines.balancer.url;
  });
  after(async () => {
    await machines?.close();
    await idp?.[Symbol.asyncDispose]();
  });

  /** The headers that a browser sends. */
  const asUser = ({ cookie }: Pick<TestAccount, 'cookie'>) => ({ cookie, origin: publicUrl });
  const ask = (machine: number, path: string, init: RequestInit = {}) =>
    fetch(`${machines.urls[machine]}/api/v1${path}`, init);
  const askWithKey = (machine: number, path: string, key: string, headers: Record<string, string> = {}) =>
    ask(machine, path, { headers: { 'x-api-key': key, ...headers } });

  /** The promised second, with some time for the requests that check it. */
  const withinASecond = (what: string, condition: () => Promise<boolean>) => until(what, condition, boundMs(1_500));

  async function createKey(machine: number, account: TestAccount): Promise<Response> {
    const headers = { ...asUser(account), 'content-type': 'application/json' };
    return ask(machine, '/api-keys', { method: 'POST', headers, body: JSON.stringify({ name: randomUUID() }) });
  }

  test('a key created on one machine works on all immediately; revoked on another, all refuse it immediately', async () => {
    const account = await machines.office.createAccount({ keys: 0 });
    const created = await createKey(0, account);
    assert.equal(created.status, 201);
    const { id, secret } = ((await created.json()) as { data: { id: string; secret: string } }).data;
    for (const machine of ALL.toReversed()) assert.equal((await askWithKey(machine, '/countries', secret)).status, 200);
    const revoked = await ask(1, `/api-keys/${id}`, { method: 'DELETE', headers: asUser(account) });
    assert.equal(revoked.status, 204);
    const replies = await Promise.all(ALL.map((machine) => askWithKey(machine, '/countries', secret)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([401]));
  });

  test('the key limit of the plan holds when keys are created on all machines at the same time', async () => {
    const account = await machines.office.createAccount({ plan: 'pro', keys: 0 });
    const replies = await Promise.all(Array.from({ length: 12 }, (_, at) => createKey(at % MACHINES, account)));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 201, 201, 201, 409, 409, 409, 409, 409, 409, 409],
    );
  });

  test('window and quota count down by one on any machine, and are used up on all', async () => {
    let key = '';
    let replies: Response[] = [];
    const seen = (header: string) => replies.map(({ headers }) => Number(headers.get(header)));
    // All requests must fall into one clock minute; otherwise repeat.
    do {
      [key = ''] = (await machines.office.createAccount({ plan: 'pro', left: 9 })).keys;
      replies = [];
      for (let at = 0; at < 9; at++) replies.push(await askWithKey(at % MACHINES, '/countries', key));
    } while (new Set(seen('x-ratelimit-reset')).size > 1);
    assert.deepEqual(seen('x-ratelimit-remaining'), [599, 598, 597, 596, 595, 594, 593, 592, 591]);
    assert.deepEqual(seen('x-monthly-quota-remaining'), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    for (const machine of ALL) {
      const refused = await askWithKey(machine, '/countries', key);
      assert.equal(refused.status, 429);
      assert.match(await refused.text(), /"monthly_quota_exceeded"/);
    }
  });

  const deliver = (machine: number, body: string) =>
    ask(machine, '/billing/webhook', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'payment-signature': sign(body, Date.now()) },
    });
  const now = () => Math.floor(Date.now() / 1_000);

  test('a plan paid on one machine takes effect there immediately and on all within a second', async () => {
    const account = await machines.office.createAccount({ plan: 'free' });
    const [key = ''] = account.keys;
    const limitOn = async (machine: number) =>
      (await askWithKey(machine, '/countries', key)).headers.get('x-ratelimit-limit');
    for (const machine of ALL) assert.equal(await limitOn(machine), '60');
    const object = renderSubscription({ id: `sub_${randomUUID()}`, accountId: account.accountId });
    const reply = await deliver(0, renderEvent({ type: 'customer.subscription.created', created: now(), object }));
    assert.equal(reply.status, 200);
    assert.equal(await limitOn(0), '600');
    await withinASecond('the other machines have the new limit', async () => {
      const limits = await Promise.all(ALL.slice(1).map(limitOn));
      return limits.every((limit) => limit === '600');
    });
  });

  for (const last of ['updated', 'deleted'] as const) {
    test(`events of a subscription arrive three times, in any order, at all machines: the last one (${last}) decides`, async () => {
      const account = await machines.office.createAccount({ plan: 'free' });
      const id = `sub_${randomUUID()}`;
      const begin = now() - 600;
      const steps = [
        { kind: 'created', status: 'incomplete', price: PRICES.pro },
        { kind: 'updated', status: 'active', price: PRICES.pro },
        { kind: 'updated', status: 'active', price: PRICES.business },
        { kind: 'paused', status: 'paused', price: PRICES.business },
        { kind: 'resumed', status: 'active', price: PRICES.business },
        { kind: 'updated', status: 'past_due', price: PRICES.business },
        { kind: last, status: last === 'deleted' ? 'canceled' : 'active', price: PRICES.pro },
      ];
      const events = steps.map(({ kind, status, price }, at) => {
        const period = [begin, begin + 2_592_000 + at] as const;
        const object = renderSubscription({ id, accountId: account.accountId, status, price, period });
        return renderEvent({ type: `customer.subscription.${kind}`, created: begin + at, object });
      });
      const shuffled = [...events, ...events, ...events]
        .map((body) => ({ body, key: Math.random() }))
        .toSorted((a, b) => a.key - b.key);
      const replies = await Promise.all(
        shuffled.map(async ({ body }, at) => {
          const reply = await deliver(at % MACHINES, body);
          assert.equal(reply.status, 200);
          return { body, ...((await reply.json()) as { duplicate: boolean }) };
        }),
      );
      for (const body of events) {
        const fresh = replies.filter((reply) => reply.body === body && !reply.duplicate);
        assert.equal(fresh.length, 1, 'an event was not accepted as new exactly once');
      }
      const pages = await Promise.all(
        machines.urls.map(async (_, machine) => (await ask(machine, '/account', { headers: asUser(account) })).text()),
      );
      assert.equal(new Set(pages).size, 1, 'the machines disagree');
      const { data } = JSON.parse(pages[0] ?? '');
      assert.equal(data.plan.id, last === 'deleted' ? 'free' : 'pro');
      if (last === 'updated') {
        assert.equal(Date.parse(data.billing.currentPeriodEnd), (begin + 2_592_000 + steps.length - 1) * 1_000);
      }
    });
  }

  test('a sign-in that starts on one machine ends on another and is valid on all until the sign-out', async () => {
    const browser = createBrowser();
    const me = (machine: number, session: string | undefined) =>
      ask(machine, '/auth/me', { headers: { cookie: `session=${session}` } });
    const before = machines.balancer.sent.length;
    const page = await browser.open(`${publicUrl}/auth/login`);
    const done = await browser.submit(page, { email: 'anna@example.com' });
    assert.equal(done.url, `${publicUrl}/dashboard`);
    const steps = machines.balancer.sent.slice(before);
    const machineOf = (path: string) => steps.find((step) => step.path.startsWith(path))?.machine;
    assert.notEqual(machineOf('/auth/login'), machineOf('/auth/callback'), 'the sign-in took place on one machine');
    const session = browser.cookie('session');
    const people = await Promise.all(ALL.map(async (machine) => (await me(machine, session)).json()));
    for (const person of people) assert.deepEqual(person, people[0]);
    await browser.submit(await browser.open(`${publicUrl}/auth/logout`), {});
    for (const machine of ALL) assert.equal((await me(machine, session)).status, 401);
  });

  testImport(() => machines);
  testFollowing(() => machines);
  testRollingRestart(() => machines);
  testChangeFeed(() => machines);
  testUpgrade(() => machines);
});
