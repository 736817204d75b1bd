import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createBrowser } from '../harness/browser-session.ts';
import { boundMs } from '../harness/depth.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import type { TestAccount } from '../harness/keys.ts';
import { of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import { renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { run } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { testImports } from './imports.ts';
import { type Machines, startMachines } from './machines.ts';

const MACHINES = 2;
const ALL = Array.from({ length: MACHINES }, (_, at) => at);

/**
 * Several machines behave as one service: each test takes its steps on different machines. `test/races` kills them.
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

  test('a plan paid on one machine takes effect there immediately and on all within a second', async () => {
    const account = await machines.office.createAccount({ plan: 'free' });
    const [key = ''] = account.keys;
    const limitOn = async (machine: number) =>
      (await askWithKey(machine, '/countries', key)).headers.get('x-ratelimit-limit');
    for (const machine of ALL) assert.equal(await limitOn(machine), '60');
    const object = renderSubscription({ id: `sub_${randomUUID()}`, accountId: account.accountId });
    const body = renderEvent({
      type: 'customer.subscription.created',
      created: Math.floor(Date.now() / 1_000),
      object,
    });
    const headers = { 'content-type': 'application/json', 'payment-signature': sign(body, Date.now()) };
    const reply = await ask(0, '/billing/webhook', { method: 'POST', body, headers });
    assert.equal(reply.status, 200);
    assert.equal(await limitOn(0), '600');
    // The promised second, with some time for the requests that check it.
    const others = async () => (await Promise.all(ALL.slice(1).map(limitOn))).every((limit) => limit === '600');
    await until('the other machines have the new limit', others, boundMs(1_500));
  });

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

  testImports(() => machines);

  // While one machine restarts, at least one other serves.
  test('a rolling restart under load drops no request, and every answer is charged once', async (t) => {
    const { balancer, office, urls } = machines;
    const account = await office.createAccount({ keys: 10 });
    const paths = [SEARCH, '/api/v1/countries'];
    const traffic = startTraffic({
      urls: [balancer.url],
      paths,
      keys: account.keys,
      callers: 16,
      pauseMs: 40,
    });
    await until('there is load', () => traffic.answers.length > 30);
    for (const [index] of urls.entries()) {
      await machines.restart(index);
      const before = balancer.sent.length;
      await until('there is load', () => balancer.sent.length >= before + 60);
      const its = balancer.sent.slice(before).filter(({ machine }) => machine === urls[index]);
      assert.ok(its.length > 0, 'the restarted machine gets no requests');
    }
    const answers = await traffic.stop();
    t.diagnostic(`${answers.length} requests during the restarts`);
    assert.deepEqual(balancer.dropped, []);
    assert.deepEqual(tally(answers), { 200: answers.length });
    const used = await office.settle(account.accountId);
    assert.deepEqual(used, { quota: of(200, answers).length, daily: of(200, answers).length });
  });

  // A server of an older release, when a newer release migrates the schema. It ends machine 0, and no other can start.
  test('a running server with a newer schema is not ready but still serves; a new server refuses to start', async () => {
    const { office } = machines;
    const server = machines.at(0);
    const { keys } = await office.createAccount();
    const newer = "INSERT INTO migrations (version, name, applied_at) VALUES (9999, '9999_future.sql', 0)";
    await office.services.accountsDb.run(newer);
    // Probes fail within a second, so that a balancer takes the server out. Requests that still arrive are served.
    await until(
      'the server is not ready',
      async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 503,
    );
    assert.equal((await fetch(`${server.url}/api/v1/health/live`)).status, 200);
    for (let round = 0; round < 3; round++) {
      const reply = await fetch(server.url + SEARCH, { headers: { 'x-api-key': keys[0] ?? '' } });
      assert.equal(reply.status, 200);
    }
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0, 'the server does not stop cleanly');

    const env = machines.envOf(0);
    const again = await run(['serve'], { ...env, PORT: '0', ADMIN_PORT: '0', WORKERS: '1' });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /newer release/);
    assert.equal((await run(['migrate'], env)).code, 1);
  });
});
