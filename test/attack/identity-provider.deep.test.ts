import '../harness/impatient.ts';
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe as suite, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { testClock } from '../harness/clock.ts';
import { usualEngines } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { startService, type TestService } from '../harness/service.ts';
import { type HostileServer, sendEndless, sendJson, startHostile } from './hostile-server.ts';

type Part = 'discovery' | 'keys' | 'token';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A compromised identity provider. It follows the protocol except where a test sets another answer. */
interface HostileIdentity extends HostileServer {
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the answers of single endpoints; the others stay correct. */
  answers: Partial<Record<Part, Answer>>;
  signToken(claims?: Record<string, unknown>): Promise<string>;
  /** Signs in with an ID token that has these claims, and returns the reply of the callback. */
  signIn(service: TestService, claims: Record<string, unknown>): Promise<Response>;
}

const AUDIENCE = 'firmament';

async function startHostileIdentity(): Promise<HostileIdentity> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  let idToken = '';
  const server = await startHostile((request, response) => {
    const part = PARTS[new URL(request.url ?? '', 'http://x').pathname];
    const own = part && identity.answers[part];
    if (own !== undefined) own(request, response);
    else if (part === 'discovery') sendJson(response, describe(server.url));
    else if (part === 'keys') sendJson(response, { keys: [jwk] });
    else sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: idToken });
  });
  const sign = (claims: Record<string, unknown>) => {
    const seconds = Math.floor(Date.now() / 1000);
    const payload = { iss: server.url, aud: AUDIENCE, sub: 'anna', iat: seconds, exp: seconds + 600, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey);
  };
  const identity: HostileIdentity = {
    ...server,
    env: { OIDC_ISSUER: server.url, OIDC_CLIENT_ID: AUDIENCE },
    answers: {},
    signToken: (claims = {}) => sign(claims),
    async signIn(service, claims) {
      const left = await fetch(`${service.url}/auth/login`, { redirect: 'manual' });
      const sent = new URL(left.headers.get('location') ?? '').searchParams;
      idToken = await sign({ nonce: sent.get('nonce'), ...claims });
      const [cookie = ''] = left.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
      const query = new URLSearchParams({ code: 'c', state: sent.get('state') ?? '', iss: server.url });
      return fetch(`${service.url}/auth/callback?${query}`, { redirect: 'manual', headers: { cookie } });
    },
  };
  return identity;
}

const PARTS: Readonly<Record<string, Part>> = {
  '/.well-known/openid-configuration': 'discovery',
  '/keys': 'keys',
  '/token': 'token',
};

function describe(url: string, changes: Record<string, unknown> = {}): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    ...changes,
  };
}

/** API10:2023 Unsafe Consumption of APIs: an identity provider that is compromised or impersonated. */
async function withHostile(
  engine: (typeof usualEngines)[0],
  work: (service: TestService, idp: HostileIdentity) => Promise<void>,
): Promise<void> {
  await using idp = await startHostileIdentity();
  await using service = await startService(engine, { env: idp.env, clock: testClock(new Date().toISOString()) });
  await work(service, idp);
}

async function askMe(service: TestService, token: string) {
  const started = performance.now();
  const reply = await service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } });
  assert.ok(performance.now() - started < boundMs(8_000), 'the reply took too long');
  return reply;
}

for (const engine of usualEngines) {
  suite(`API10 claims of the identity provider on ${engine}`, () => {
    test('hostile claims break nothing, and users whose id cannot be stored are refused', () =>
      withHostile(engine, async (service, idp) => {
        const good = await idp.signIn(service, { sub: 'anna' });
        assert.equal(good.status, 302, await good.text());
        for (const sub of ['nul\0', 'x'.repeat(256), 'x'.repeat(1_000_000), '\ud800', '']) {
          const reply = await idp.signIn(service, { sub });
          assert.equal(reply.status, 400, `${JSON.stringify(sub.slice(0, 10))}: ${reply.status}`);
          assert.equal(
            reply.headers.getSetCookie().find((each) => each.startsWith('session=')),
            undefined,
          );
          if (sub.length < 300) assert.equal((await askMe(service, await idp.signToken({ sub }))).status, 401);
        }
        const hostile = '"><script>alert(1)</script>\u001b[31m\n{"level":60}\u202e';
        for (const [claims, email, name] of [
          [{ email: hostile, name: hostile }, hostile, hostile],
          [{ email: { a: 1 }, name: ['x'] }, null, null],
          [{ email: 'nul\0', name: 'x'.repeat(300) }, null, null],
          [{ email: '\ud800', name: '' }, null, null],
        ] as const) {
          const sub = `sub-${Math.random()}`;
          const { status, body } = await askMe(service, await idp.signToken({ sub, ...claims }));
          assert.deepEqual([status, body.data?.email, body.data?.name], [200, email, name]);
          assert.equal((await idp.signIn(service, { sub, ...claims })).status, 302);
        }
      }));
  });
}

suite('API10 answers of the identity provider', () => {
  const sqlite = (work: (service: TestService, idp: HostileIdentity) => Promise<void>) => withHostile('sqlite', work);

  test('with invalid, foreign or redirected metadata no token is accepted and no address is followed', async () => {
    await using trap = await startHostile();
    const cases: Record<string, (idp: HostileIdentity) => HostileIdentity['answers']> = {
      'an error': () => ({ discovery: (_request, response) => response.writeHead(500).end() }),
      'a page': () => ({ discovery: (_request, response) => response.writeHead(200).end('<html>') }),
      'deep JSON': () => ({
        discovery: (_request, response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(500_000)),
      }),
      'another issuer': () => ({
        discovery: (_request, response) => sendJson(response, describe('https://evil.example')),
      }),
      'a redirect': () => ({
        discovery: (_request, response) => response.writeHead(302, { location: `${trap.url}/moved` }).end(),
      }),
      'keys in a file': ({ url }) => ({
        discovery: (_request, response) => sendJson(response, describe(url, { jwks_uri: 'file:///etc/passwd' })),
      }),
      'no keys': ({ url }) => ({
        discovery: (_request, response) => sendJson(response, describe(url, { jwks_uri: undefined })),
      }),
      'keys that moved': () => ({
        keys: (_request, response) => response.writeHead(302, { location: trap.url }).end(),
      }),
      'invalid keys': () => ({ keys: (_request, response) => sendJson(response, { keys: 'all' }) }),
      'a secret as a key': () => ({
        keys: (_request, response) => sendJson(response, { keys: [{ kty: 'oct', k: 'AAAA', kid: 'k', alg: 'HS256' }] }),
      }),
    };
    for (const [what, answers] of Object.entries(cases)) {
      await sqlite(async (service, idp) => {
        idp.answers = answers(idp);
        const { status, body } = await askMe(service, await idp.signToken());
        assert.ok([401, 503].includes(status), `${what}: ${status} ${JSON.stringify(body)}`);
        assert.ok(status === 401 || body.error.code === 'service_unavailable', what);
      });
    }
    assert.deepEqual(trap.visits, []);
  });

  test('an endless answer is cut off after a few MiB', async () => {
    for (const part of ['discovery', 'keys', 'token'] as const) {
      await sqlite(async (service, idp) => {
        let sent = 0;
        idp.answers = {
          [part]: (_request: unknown, response: Parameters<typeof sendEndless>[0]) =>
            sendEndless(response, (total) => {
              sent = total;
            }),
        };
        if (part === 'token') {
          assert.ok([400, 503].includes((await idp.signIn(service, {})).status));
        } else {
          assert.equal((await askMe(service, await idp.signToken())).status, 503, part);
        }
        // The limit allows for what is in the buffers of both sockets.
        assert.ok(sent > 0 && sent < 64 * 1024 * 1024, `${part}: ${sent} bytes were read`);
      });
    }
  });
});
