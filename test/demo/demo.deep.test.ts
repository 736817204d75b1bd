import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { DemoAccess } from '../../demo/demo-account.ts';
import { isWellFormedSecret } from '../../src/base/secrets.ts';
import { createBrowser } from '../harness/browser-session.ts';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { speakRaw } from '../harness/raw.ts';
import { until } from '../harness/until.ts';
import { startEmptyDemo } from './demo.ts';

const DEMO_FILES = ['demo.json', 'demo-identity.json'];

interface RunningDemo extends RunningServer {
  readonly access: DemoAccess;
  stop(): Promise<void>;
}

async function startDemo(database: TestDatabase): Promise<RunningDemo> {
  const server = await startEmptyDemo(database);
  const access = JSON.parse(readFileSync(join(database.dataDir, 'demo.json'), 'utf8'));
  const stop = async () => {
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0, server.output());
  };
  return { ...server, access, stop };
}

function urlOf({ databaseUrl }: TestDatabase): Record<string, string> {
  return databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
}

async function ask(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  // biome-ignore lint/suspicious/noExplicitAny: a reply, checked below
  return { status: response.status, body: (await response.json()) as any };
}

const useKey = (demo: RunningDemo, key: string) => ask(`${demo.url}/api/v1/countries`, { 'x-api-key': key });
const askMe = (demo: RunningDemo, token: string) =>
  ask(`${demo.url}/api/v1/auth/me`, { authorization: `Bearer ${token}` });

/** The demo signs anybody in, so a page of another site must not reach it under a name that resolves to this machine. */
async function assertClosed({ url, access }: RunningDemo): Promise<void> {
  const headers = `X-API-Key: ${access.apiKey}\r\nAuthorization: Bearer ${access.sessionToken}\r\nConnection: close\r\n`;
  for (const path of ['/', '/auth/login', '/demo/idp/.well-known/openid-configuration', '/api/v1/account', '/nope']) {
    const bytes = `GET ${path} HTTP/1.1\r\nHost: attacker.example\r\n${headers}\r\n`;
    const [reply] = await speakRaw(url, bytes, { timeoutMs: 20_000, quietMs: 5_000 });
    assert.equal(reply?.status, 400, path);
    assert.match(reply?.text ?? '', /does not answer under the host name/, path);
  }
}

// Each engine starts several demos. What depends on the database is tested on both in test/accounts and test/billing.
for (const engine of usualEngines) {
  test(`the demo on ${engine} creates account, key and demo.json once and keeps them over restarts`, async () => {
    await using database = await createDatabase(engine);
    // Damaged files are created again like missing ones.
    for (const file of DEMO_FILES) writeFileSync(join(database.dataDir, file), '{"half');
    const first = await startDemo(database);
    assert.deepEqual(Object.keys(first.access), ['baseUrl', 'apiKey', 'sessionToken', 'webhookSecret']);
    assert.equal(first.access.baseUrl, first.url);
    assert.match(first.access.apiKey, /^frm_test_/);
    assert.ok(isWellFormedSecret(first.access.apiKey, 'frm'));
    assert.match(first.access.webhookSecret, /^whsec_/);
    const headers = { 'x-api-key': first.access.apiKey };
    const { body: endpoints } = await ask(`${first.url}/api/v1/webhook-endpoints`, headers);
    assert.deepEqual(
      endpoints.data.map(({ url }: { url: string }) => url),
      [`${first.url}/demo/webhooks`],
    );
    const test = `${first.url}/api/v1/webhook-endpoints/${endpoints.data[0].id}/test`;
    assert.equal((await fetch(test, { method: 'POST', headers })).status, 202);
    await until('the receiver has verified it', async () =>
      /webhook\.test[\s\S]*badge good">verified/.test(await (await fetch(`${first.url}/demo/webhooks`)).text()),
    );
    for (const file of ['demo.json', 'demo-identity.json', 'demo-webhooks.json', 'payments.json']) {
      assert.equal(statSync(join(database.dataDir, file)).mode & 0o777, 0o600, file);
    }
    await assertClosed(first);
    assert.equal((await useKey(first, first.access.apiKey)).status, 200);
    const me = await askMe(first, first.access.sessionToken);
    assert.deepEqual([me.status, me.body.data.email], [200, 'demo@example.com']);
    const account = await ask(`${first.url}/api/v1/account`, { authorization: `Bearer ${first.access.sessionToken}` });
    assert.deepEqual(
      account.body.data.apiKeys.map(({ name, prefix }: { name: string; prefix: string }) => [name, prefix]),
      [['Demo', first.access.apiKey.slice(0, 15)]],
    );
    assert.deepEqual([account.body.data.plan.id, account.body.data.billing.status], ['business', 'active']);
    const limits = await fetch(`${first.url}/api/v1/countries`, { headers: { 'x-api-key': first.access.apiKey } });
    assert.equal(limits.headers.get('x-ratelimit-limit'), '3000');
    assert.ok(first.output().includes(`curl -H 'X-API-Key: ${first.access.apiKey}'`));
    await first.stop();

    chmodSync(join(database.dataDir, 'demo.json'), 0o644);
    const second = await startDemo(database);
    assert.notEqual(second.url, first.url, 'the restart must use another port');
    assert.equal(second.access.apiKey, first.access.apiKey);
    assert.equal(second.access.webhookSecret, first.access.webhookSecret);
    const events = await run(['billing', 'events', '--json'], { DATA_DIR: database.dataDir, ...urlOf(database) });
    const bought = JSON.parse(events.stdout).filter(({ kind }: { kind: string }) =>
      kind.endsWith('subscription.created'),
    );
    assert.equal(bought.length, 1, 'the plan is bought once');
    assert.equal((await useKey(second, first.access.apiKey)).status, 200);
    const again = await askMe(second, second.access.sessionToken);
    assert.deepEqual(again.body.data, me.body.data, 'the same user, although the issuer has changed');
    assert.equal(statSync(join(database.dataDir, 'demo.json')).mode & 0o777, 0o600, 'the file mode is repaired');
    await checkTokens(second, database);
    await second.stop();
    const late = await run(['token', '--email', 'anna@example.com'], { DATA_DIR: database.dataDir });
    assert.equal(late.code, 1, 'no token without a running demo');

    rmSync(join(database.dataDir, 'demo.json'));
    const third = await startDemo(database);
    assert.notEqual(third.access.apiKey, first.access.apiKey);
    assert.equal((await useKey(third, third.access.apiKey)).status, 200);
    assert.equal((await useKey(third, first.access.apiKey)).status, 401, 'the lost key is revoked');
    assert.equal((await askMe(third, third.access.sessionToken)).body.data.id, me.body.data.id);
    await third.stop();
  });
}

/** `firmament token` prints a session token while the demo runs. */
async function checkTokens(demo: RunningDemo, database: TestDatabase): Promise<void> {
  const token = await run(['token', '--email', 'anna@example.com'], { DATA_DIR: database.dataDir });
  assert.equal(token.code, 0, token.stderr);
  const { status, body } = await askMe(demo, token.stdout.trim());
  assert.deepEqual([status, body.data.email], [200, 'anna@example.com']);

  const browser = createBrowser();
  const page = await browser.open(`${demo.url}/auth/login`);
  await browser.submit(page, { email: 'ANNA@example.com' });
  const cookie = `session=${browser.cookie('session')}`;
  const inBrowser = await ask(`${demo.url}/api/v1/auth/me`, { cookie });
  assert.deepEqual(inBrowser.body.data, body.data, 'the same user as in the browser');
  assert.ok(!demo.output().includes(token.stdout.trim()));
}

describe('firmament token', () => {
  test('says what to do if no demo has run, or if it is used wrongly', async () => {
    await using database = await createDatabase('sqlite');
    const env = { DATA_DIR: database.dataDir };
    const never = await run(['token', '--email', 'anna@example.com'], env);
    assert.deepEqual([never.code, never.stdout], [1, '']);
    assert.match(never.stderr, /No demo is running with DATA_DIR .*: start it with "npm start" and try again\./);

    for (const args of [[], ['--email'], ['--email', 'x'], ['--mail', 'a@b.c']]) {
      const wrong = await run(['token', ...args], env);
      assert.equal(wrong.code, 2, args.join(' '));
    }
  });
});

test('without --demo there is no provider, no demo account and no demo file', async () => {
  await using database = await createDatabase('sqlite');
  const server = await startServer(database);
  assert.equal((await fetch(`${server.url}/demo/idp/.well-known/openid-configuration`)).status, 404);
  assert.equal((await fetch(`${server.url}/auth/login`, { redirect: 'manual' })).status, 503);
  assert.ok(!existsSync(join(database.dataDir, 'demo.json')));
  server.kill('SIGTERM');
  await server.ended;
});
