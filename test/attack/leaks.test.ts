import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { createBrowser } from '../harness/browser-session.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startIdentityProvider } from '../harness/identity.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { run } from '../harness/process.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company, GB_HEADER, writeGb } from '../registry/gb-file.ts';
import { openShop, type Shop } from './shop.ts';

/** API3:2023 Broken Object Property Level Authorization: mass assignment, and replies with too much data. */
describeOn(usualEngines, 'API3 properties', (engine) => {
  let shop: Shop;
  let service: TestService;
  before(async () => {
    shop = await openShop(engine);
    service = shop.service;
  });
  after(() => shop[Symbol.asyncDispose]());

  const post = (path: string, headers: Readonly<Record<string, string>>, body: string) =>
    service.client.request('POST', path, { headers: { ...headers, 'content-type': 'application/json' }, body });

  test('account replies contain no hash, token, subject or id of the payment provider', async () => {
    const subject = `subject-${randomUUID()}`;
    const session = await service.signIn({ plan: 'free', subject, issuer: 'https://login.hidden' });
    await shop.buy(session, 'pro');
    const made = await post('/api/v1/api-keys', session.headers, '{"name":"mine"}');
    const { secret } = made.body.data;
    const replies = await Promise.all(
      ['/api/v1/account', '/api/v1/auth/me', '/api/v1/api-keys'].map((path) =>
        service.client.get(path, { headers: session.headers }),
      ),
    );
    for (const { status, text } of replies) {
      assert.equal(status, 200);
      assert.ok(!text.includes(secret), 'the secret is shown again');
    }
    for (const text of [made.text, ...replies.map((reply) => reply.text)]) {
      assert.doesNotMatch(text, /cus_|sub_|price_|whsec|sk_/);
      for (const hidden of [hashSecret(secret), session.token, hashSecret(session.token), subject, 'login.hidden']) {
        assert.ok(!text.includes(hidden), `${hidden} is revealed`);
      }
    }
    const [account, me, keys] = replies.map(({ body }) => body.data);
    assert.deepEqual(Object.keys(account).sort(), [
      'apiKeys',
      'billing',
      'excessApiKeys',
      'id',
      'plan',
      'requestsPerMinuteOfAllKeys',
      'usage',
    ]);
    assert.deepEqual(Object.keys(me).sort(), ['accountId', 'email', 'id', 'name']);
    const shown = ['canManage', 'createdAt', 'expiresAt', 'id', 'lastUsedAt', 'name', 'prefix'];
    assert.deepEqual(Object.keys(keys[0]).sort(), shown);
  });
});

const FORGED = '"}\n{"level":60,"time":0,"msg":"forged","status":200}\r\n\u001b[31m';
const ENCODED = encodeURIComponent(FORGED);
/** The fields that a log line may have. */
const FIELDS =
  /^(level|time|msg|requestId|method|route|status|durationMs|address|accountId|keyId|aborted|reason|code|err|event|kind|outcome|plan|applied|version|entities|changed|overlayDocuments|overlayPercent|segments|megabytes|seconds)$/;

describeOn(usualEngines, 'log injection', (engine) => {
  test('hostile input from clients, names, events and sign-ins cannot forge log lines or fields', async () => {
    let url = '';
    await using idp = await startIdentityProvider(() => url);
    await using service = await startService(engine, { env: idp.env, clock: testClock(new Date().toISOString()) });
    url = service.url;
    const session = await service.signIn({ email: `a@b.test${FORGED}`, name: FORGED, subject: `sub-${FORGED}` });
    const key = await service.createKey();
    const json = { ...session.headers, 'content-type': 'application/json' };

    await service.client.get(`/${ENCODED}`);
    await service.client.get(`/api/v1/entities?q=${ENCODED}&${ENCODED}=1`, { headers: { 'x-api-key': key } });
    await service.client.get(`/api/v1/entities/${ENCODED}`, { headers: { 'x-api-key': key } });
    await service.client.get(`/docs/errors/${ENCODED}`);
    await service.client.request('DELETE', `/api/v1/api-keys/${ENCODED}`, { headers: session.headers });
    for (const body of [FORGED, JSON.stringify({ name: FORGED }), JSON.stringify({ [FORGED]: 1 })]) {
      await service.client.request('POST', '/api/v1/api-keys', { headers: json, body });
    }
    const event = renderEvent({ id: `evt_${randomUUID()}`, type: '{"level":60}', created: 1, object: { a: FORGED } });
    for (const body of [event, FORGED]) {
      const headers = { 'payment-signature': sign(body, service.clock.now()) };
      await service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
    }
    for (const header of [
      'User-Agent',
      'Referer',
      'Cookie',
      'Authorization',
      'X-API-Key',
      'X-Request-ID',
      'Host',
      'X-Forwarded-For',
    ]) {
      const value = FORGED.replaceAll(/[\r\n]/g, ' ');
      await speakRaw(service.url, `GET /api/v1/account HTTP/1.1\r\nHost: x\r\n${header}: ${value}\r\n\r\n`, {
        quietMs: 20,
      });
    }
    await speakRaw(service.url, `${FORGED}\r\n\r\n`, { quietMs: 20 });
    // A browser that started its own sign-in knows its state, so it can forge the provider's error.
    const browser = createBrowser();
    const left = await browser.open(`${service.url}/auth/login`, {}, /\/demo\/idp\/auth\?/);
    const state = new URL(left.url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, iss: idp.issuer, error: `x${FORGED}`, error_description: FORGED });
    assert.equal((await browser.open(`${service.url}/auth/callback?${query}`)).status, 400);

    await until('the log has many lines', () => service.logLines.length > 20);
    for (const line of service.logLines) {
      assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u, 'a control character is in the log');
      assert.ok(line.endsWith('\n'));
      const fields = JSON.parse(line);
      for (const name of Object.keys(fields)) assert.match(name, FIELDS, line);
      assert.ok(fields.level <= 40 && fields.msg !== 'forged', line);
      assert.ok(!line.includes('forged'), `client input is in the log: ${line}`);
    }
    const refused = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in refused');
    assert.deepEqual(
      refused.map(({ reason }) => /^\w+$/.test(reason)),
      [true],
    );
  });
});

/** With an escape sequence, a control character above ASCII and a character that reverses the reading direction. */
const UNKNOWN_STATUS = 'Turned \u001b[2J\u009b31m\u202eturned';

/** API10:2023 Unsafe Consumption of APIs: register files are input like any other. */
describeOn(usualEngines, 'API10 hostile source files', (engine) => {
  test('column names such as __proto__ are kept, and control characters do not reach the terminal', async () => {
    const database = await createDatabase(engine);
    try {
      const columns = [
        '__proto__',
        'constructor',
        '\u001b[2Jcleared',
        'two\u009b31mcolours',
        'forged\u2028line',
        '<b>',
      ];
      const header = `${GB_HEADER},${columns.join(',')}`;
      // Object.fromEntries creates an own property `__proto__`; an object literal would set the prototype.
      const extra = Object.fromEntries(columns.map((name) => [name, `value of ${name}`]));
      const rows = [
        company('07000001', 'HOSTILE LTD', { ...extra, IncorporationDate: '\u001b[31m99/99/9999\u0007' }),
        company('07000002', 'UNKNOWN LTD', { ...extra, CompanyStatus: UNKNOWN_STATUS }),
        ...Array.from({ length: 600 }, (_, index) => company(`0800${1_000 + index}`, `FILLER ${index} LTD`, extra)),
      ];
      const folder = mkdtempSync(join(database.dataDir, 'in-'));
      const path = writeGb(folder, 'hostile.csv', rows, header);
      const env = { DATA_DIR: database.dataDir, ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }) };
      const ended = await run(['import', 'gb', path], env, database.dataDir);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /New columns.*__proto__.*cleared.*colours/);
      assert.doesNotMatch((ended.stdout + ended.stderr).replaceAll('\n', ''), /\p{Cc}|\p{Zl}/u);
      const listed = [
        await run(['import', 'gb', path, '--json', '--again'], env, database.dataDir),
        await run(['registers', '--unknown'], env, database.dataDir),
        await run(['registers', '--unknown', '--json'], env, database.dataDir),
      ];
      for (const { code, stdout, stderr } of listed) {
        assert.equal(code, 0, stderr);
        assert.match(stdout, /turned/);
        assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}]/u);
      }
      assert.ok(JSON.parse(listed[2]?.stdout ?? '').some(({ value }: { value: string }) => value === UNKNOWN_STATUS));

      await using service = await startService(engine, { database });
      const { body } = await service.client.get('/api/v1/entities?q=hostile');
      const { text } = await service.client.get(`/api/v1/entities/${body.data[0].id}`);
      for (const name of columns) assert.ok(text.includes(JSON.stringify(name)), `${JSON.stringify(name)} is lost`);
    } finally {
      await database[Symbol.asyncDispose]();
    }
  });
});
