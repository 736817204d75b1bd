import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import { DEMO_AUDIENCE, signSessionToken } from '../../demo/identity/keys.ts';
import { createApiKey, hashSecret } from '../../src/base/secrets.ts';
import { NO_KEY } from '../harness/client.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { sign } from '../harness/payment-events.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';
import { callMessage, post, readJson } from '../mcp/connect.ts';

/** API2:2023 and API5:2023: every operation of the contract, with every kind of credential that is missing, wrong, or for other operations. */
type Headers = Readonly<Record<string, string>>;

/** Who an operation is for, by its security schemes. */
const AUDIENCES = ['data', 'account', 'person'] as const;
type Audience = (typeof AUDIENCES)[number];

interface Secrets {
  readonly key: string;
  readonly token: string;
  readonly session: string;
  readonly origin: string;
}

/** What is sent, and the code of the answer for operations with a key, with a key or a session, and with a session. */
type Row = readonly [name: string, headers: (secrets: Secrets) => Headers, codes: readonly [string, string, string]];

const OK = 'ok';
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const cookie = (value: string, origin: string) => ({ cookie: `session=${value}`, origin });
const none = ['api_key_required', 'api_key_required', 'session_required'] as const;
const badKey = ['invalid_api_key', 'invalid_api_key', 'invalid_session'] as const;
const goodKey = [OK, OK, 'invalid_session'] as const;
const badBearer = ['invalid_api_key', 'invalid_session', 'invalid_session'] as const;
const badCookie = ['api_key_required', 'invalid_session', 'invalid_session'] as const;

const ROWS: readonly Row[] = [
  ['nothing', () => ({}), none],
  ['a blank key', () => ({ 'x-api-key': ' ' }), ['api_key_required', 'api_key_required', 'invalid_session']],
  ['a key', ({ key }) => ({ 'x-api-key': key }), goodKey],
  ['a key as bearer', ({ key }) => bearer(key), goodKey],
  ['a key in both headers', ({ key }) => ({ ...bearer(key), 'x-api-key': key }), goodKey],
  ['a key beside another scheme', ({ key }) => ({ 'x-api-key': key, authorization: 'Basic eDp5' }), goodKey],
  ['a key beside another bearer', ({ key }) => ({ ...bearer('x'), 'x-api-key': key }), goodKey],
  ['an unknown key', () => ({ 'x-api-key': createApiKey('live') }), badKey],
  ['an unknown key as bearer', () => bearer(createApiKey('live')), badKey],
  ['an unknown key beside a good bearer', ({ key }) => ({ ...bearer(key), 'x-api-key': createApiKey('live') }), badKey],
  ['a damaged key', () => ({ 'x-api-key': 'frm_live_damaged' }), badKey],
  ['the stored hash of a key', ({ key }) => ({ 'x-api-key': hashSecret(key) }), badKey],
  ['a token as key', ({ token }) => ({ 'x-api-key': token }), badKey],
  ['a token', ({ token }) => bearer(token), ['invalid_api_key', OK, OK]],
  ['a damaged token', ({ token }) => bearer(token.slice(0, -2)), badBearer],
  ['the session as bearer', ({ session }) => bearer(session), badBearer],
  ['a cookie', ({ session, origin }) => cookie(session, origin), ['api_key_required', OK, OK]],
  [
    'a cookie beside a key',
    ({ session, origin, key }) => ({ ...cookie(session, origin), 'x-api-key': key }),
    [OK, OK, OK],
  ],
  ['a cookie beside a bad token', ({ session, origin }) => ({ ...cookie(session, origin), ...bearer('x') }), badBearer],
  ['an unknown cookie', ({ origin }) => cookie('nobody', origin), badCookie],
  ['an unknown cookie from another site', () => cookie('nobody', 'https://evil.example'), badCookie],
  ['the stored hash of a session', ({ session, origin }) => cookie(hashSecret(session), origin), badCookie],
];

const BODIES: Headers = {
  '/api/v1/api-keys': '{"name":"x"}',
  '/api/v1/billing/checkout': '{"plan":"pro"}',
  '/api/v1/billing/webhook': '{"id":"evt_1","type":"x","created":1}',
};

/** Spellings of a header for data that are accepted, and others that are not. */
const SPELLINGS: readonly [headers: (key: string) => Headers, code: string][] = [
  [(key) => ({ 'x-api-key': ` ${key} ` }), OK],
  [(key) => ({ authorization: `bearer  ${key}` }), OK],
  [(key) => ({ 'x-api-key': ' ', authorization: `Bearer ${key}` }), OK],
  [(key) => ({ authorization: `Basic ${key}` }), 'api_key_required'],
  [() => ({ authorization: 'Bearer ' }), 'api_key_required'],
  ...[
    (key: string) => key.slice(0, -1),
    (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'),
    (key: string) => `${key}0`,
    (key: string) => `"${key}"`,
    (key: string) => key.toUpperCase(),
    (key: string) => `${key},${key}`,
    (key: string) => `${key}\t${key}`,
    (key: string) => `frm_live_${hashSecret(key)}`,
    () => createApiKey('test'),
    () => `' OR '1'='1`,
  ].map((change): [(key: string) => Headers, string] => [(key) => ({ 'x-api-key': change(key) }), 'invalid_api_key']),
];

describeOn(usualEngines, 'credentials', (engine) => {
  let idp: TestIdentityProvider;
  let service: TestService;
  let secrets: Secrets;
  before(async () => {
    idp = await startIdentityProvider();
    service = await startService(engine, { env: idp.env, limits: { guessDelayMs: 0 } });
    const now = service.clock.now();
    const claims = { issuer: idp.issuer, email: 'a@b.test', now, lifeSeconds: 86_400 * 7 };
    const token = await signSessionToken(idp.keys, claims);
    const session = (await service.signIn()).token;
    secrets = { key: await service.createKey(), token, session, origin: service.url };
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await idp[Symbol.asyncDispose]();
  });

  const ask = (method: string, path: string, headers: Headers, body?: string) =>
    service.client.request(method, path, {
      headers: { ...(!headers.authorization && { 'x-api-key': NO_KEY }), ...headers },
      ...(body !== undefined && { body }),
    });

  test('every operation accepts its own kinds of credentials and no other, single or combined', async () => {
    const { paths } = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
    let refusals = 0;
    for (const [template, operations] of Object.entries<Record<string, { security: object[] }>>(paths)) {
      for (const [method, { security }] of Object.entries(operations)) {
        // The requests of a key and of an account per minute are limited.
        service.clock.advance(60_000);
        const schemes = security.flatMap((each) => Object.keys(each));
        const takesKey = schemes.includes('apiKey');
        const audience: Audience = !takesKey ? 'person' : schemes.includes('session') ? 'account' : 'data';
        const path = template.replace(/\{\w+\}/g, randomUUID());
        const body = method === 'post' ? BODIES[template] : undefined;
        for (const [name, headersOf, codes] of ROWS) {
          const headers = { ...headersOf(secrets), ...(body && { 'content-type': 'application/json' }) };
          const reply = await ask(method.toUpperCase(), path, headers, body);
          const where = `${method} ${template} with ${name}: ${reply.status} ${reply.text}`;
          const expected = codes[AUDIENCES.indexOf(audience)];
          const isHead = method === 'head';
          if (schemes.length === 0) assert.equal(reply.status, 200, where);
          else if (schemes.includes('signature')) assert.equal(reply.body.error.code, 'invalid_signature', where);
          else if (expected === OK) assert.ok(reply.status !== 401 && reply.status !== 403, where);
          else {
            assert.equal(reply.status, 401, where);
            if (!isHead) assert.equal(reply.body.error.code, expected, where);
            if (expected === 'invalid_session' && audience === 'person' && codes === badKey && !isHead)
              assert.match(reply.body.error.message, /API keys are not accepted here/, where);
            const realm = expected?.includes('api_key') ? /^Bearer realm="api key"$/ : /^Bearer/;
            assert.match(reply.headers.get('www-authenticate') ?? '', realm, where);
            assert.deepEqual([reply.headers.get('etag'), reply.headers.get('x-ratelimit-limit')], [null, null], where);
            refusals++;
          }
        }
      }
    }
    assert.ok(refusals > 1_000, `${refusals} requests were refused`);
    const event = BODIES['/api/v1/billing/webhook'] ?? '';
    const signed = { 'payment-signature': sign(event, service.clock.now()) };
    assert.equal((await ask('POST', '/api/v1/billing/webhook', signed, event)).status, 200);
  });

  test('a key is accepted in its header and as a bearer token, complete and unchanged, and nowhere in the URL', async () => {
    const { key } = secrets;
    service.clock.advance(60_000);
    for (const [headersOf, code] of SPELLINGS) {
      const { status, body } = await ask('GET', '/api/v1/countries', headersOf(key));
      assert.equal(status === 200 ? OK : body.error.code, code, JSON.stringify(headersOf('KEY')));
    }
    for (const name of ['api_key', 'apiKey', 'key', 'X-API-Key', 'access_token']) {
      const { body } = await ask('GET', `/api/v1/countries?${name}=${key}`, {});
      assert.equal(body.error.code, 'api_key_required', name);
    }
    for (const variant of ['', '=', `,${secrets.session}`, '0'])
      assert.equal(
        (await ask('GET', '/api/v1/auth/me', cookie(secrets.session + variant, service.url))).status,
        variant === '' ? 200 : 401,
        variant,
      );
  });

  test('401 for two Authorization headers on every surface, even if both have the same valid credential', async () => {
    const { key, token, session } = secrets;
    service.clock.advance(60_000);
    const own = `Cookie: session=${session}\r\n`;
    const surfaces: readonly (readonly [target: string, secret: string, more?: string])[] = [
      ['GET /api/v1/countries', key],
      ['GET /api/v1/countries', key, 'If-None-Match: "x"\r\n'],
      ['POST /api/v1/match', key],
      ['GET /api/v1/account', token],
      ['GET /api/v1/account', token, own],
      ['GET /api/v1/account', key, own],
      ['GET /api/v1/monitors', key],
      ['GET /api/v1/monitors', token],
      ['POST /mcp', key],
      ['POST /api/v1/reconcile', key],
    ];
    for (const [target, secret, more = ''] of surfaces) {
      const send = async (...values: readonly string[]) => {
        const lines = values.map((value) => `Authorization: ${value}\r\n`).join('');
        const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
        const head = `${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}${lines}`;
        const [reply] = await speakRaw(service.url, head + (target.startsWith('POST') ? body : '\r\n'));
        return reply?.status;
      };
      const one = `Bearer ${secret}`;
      assert.notEqual(await send(one), 401, `${target} with one header`);
      for (const two of [
        [one, one],
        [one, 'Bearer x'],
        ['Bearer x', one],
        ['Basic eDp5', one],
      ])
        assert.equal(await send(...two), 401, `${target} ${two}`);
    }
  });

  test('a session cookie does not replace the API key of the endpoint for assistants', async () => {
    const headers = cookie(secrets.session, service.url);
    const reply = await post(service, callMessage('list_countries', {}), headers);
    assert.deepEqual([reply.status, (await readJson(reply)).error.code], [401, 'api_key_required']);
  });

  test('claims of a token grant no plan, role or other account', async () => {
    const { account } = await service.signIn({ plan: 'business' });
    const { alg = '', kid = '' } = idp.keys.signingKey;
    const { accountId } = account;
    const token = await new SignJWT({
      ...{ iss: idp.issuer, aud: DEMO_AUDIENCE, sub: 'eve', exp: Math.floor(service.clock.now() / 1000) + 600 },
      ...{ plan: 'business', role: 'admin', roles: ['admin'], scope: 'admin *', maxApiKeys: 1_000 },
      ...{ accountId, account_id: accountId, 'https://firmament/accountId': accountId },
    })
      .setProtectedHeader({ alg, kid })
      .sign(await importJWK(idp.keys.signingKey, alg));
    const { body } = await service.client.get('/api/v1/account', { headers: bearer(token) });
    assert.notEqual(body.data.id, accountId);
    assert.equal(body.data.plan.id, 'free');
  });

  test('a method cannot be smuggled into a request that may', async () => {
    const session = await service.signIn();
    const made = await service.services.apiKeys.create(session.account.accountId, 'kept');
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const headers = { ...session.headers, [name]: 'DELETE' };
      assert.equal((await service.client.get('/api/v1/api-keys', { headers })).body.data.length, 1, name);
      assert.equal((await service.client.request('POST', `/api/v1/api-keys/${made.id}`, { headers })).status, 405);
    }
    const query = await service.client.get('/api/v1/api-keys?_method=DELETE', { headers: session.headers });
    assert.equal(query.status, 400);
  });

  test('no reply reveals whether an e-mail address has an account', async () => {
    const known = await service.signIn({ email: 'known@example.com' });
    const shapes = [];
    for (const email of ['known@example.com', 'nobody@example.com']) {
      const replies = [
        await service.client.get(`/auth/login?login_hint=${email}&email=${email}`),
        await service.client.get(`/api/v1/auth/me?email=${email}`, { headers: known.headers }),
        await ask('GET', '/api/v1/auth/me', { cookie: `session=${email}` }),
        await ask('GET', '/api/v1/auth/me', bearer(email)),
      ];
      shapes.push(
        replies.map(({ status, headers, body }) => [status, [...headers.keys()].sort(), body?.error?.message]),
      );
    }
    assert.deepEqual(shapes[0], shapes[1]);
  });
});
