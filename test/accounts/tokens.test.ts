import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { importJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { createIdentityKeys, DEMO_AUDIENCE, type IdentityKeys, signSessionToken } from '../../demo/identity/keys.ts';
import { createAccounts, createSessions } from '../../src/accounts/accounts.ts';
import { createIssuer, createTokenVerifier } from '../../src/accounts/issuer.ts';
import { Failure } from '../../src/base/errors.ts';
import { type Engine, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { readLimits } from '../harness/limits.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const HOUR = 3_600;

/** Signs a token like the provider, with changed claims or header. */
async function sign(
  { issuer, keys }: Pick<TestIdentityProvider, 'issuer' | 'keys'>,
  now: number,
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const payload = { iss: issuer, aud: DEMO_AUDIENCE, sub: 'anna', iat: seconds, exp: seconds + HOUR, ...claims };
  const { kid = '', alg = '' } = keys.signingKey;
  return new SignJWT(payload)
    .setProtectedHeader({ alg, kid, ...header })
    .sign(await importJWK(keys.signingKey, header.alg ?? alg));
}

/** Requests the profile of the user that the token names. */
const askMe = (service: TestService, token: string) =>
  service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } });

/** One service and its identity provider for the tests of the surrounding `describe`. */
function shareProvider(engine: Engine) {
  let idp: TestIdentityProvider;
  let service: TestService;
  before(async () => {
    idp = await startIdentityProvider();
    service = await startService(engine, { env: idp.env });
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await idp?.[Symbol.asyncDispose]();
  });
  return (work: (service: TestService, idp: TestIdentityProvider) => Promise<void>) => work(service, idp);
}

describeOn(usualEngines, 'session tokens', (engine) => {
  const withService = shareProvider(engine);

  test('a token of the provider is accepted, and the first one creates the account', () =>
    withService(async (service, { issuer, keys }) => {
      const now = service.clock.now();
      const token = await signSessionToken(keys, { issuer, email: 'Anna@Example.com', now, lifeSeconds: 60 });
      const replies = await Promise.all(Array.from({ length: 10 }, () => askMe(service, token)));
      for (const { status, body } of replies) {
        assert.equal(status, 200);
        assert.deepEqual([body.data.email, body.data.name], ['anna@example.com', 'anna']);
      }
      assert.equal(new Set(replies.map(({ body }) => body.data.accountId)).size, 1);
    }));

  test('a token without an e-mail address, or with one that is not verified, creates a user without one', () =>
    withService(async (service, idp) => {
      for (const email of [{ email: 'a\0b' }, { email: 'eve@example.com', email_verified: false }]) {
        const { body } = await askMe(service, await sign(idp, service.clock.now(), { name: 7, ...email }));
        assert.deepEqual([body.data.email, body.data.name], [null, null]);
      }
    }));
});

describe('a session token is rejected with 401 invalid_session', () => {
  const refuse = async (service: TestService, token: string, what: string) => {
    const { status, body, headers } = await askMe(service, token);
    assert.deepEqual([status, body.error?.code], [401, 'invalid_session'], what);
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    assert.ok(token.length < 20 || !body.error.message.includes(token.slice(0, 20)));
  };
  const withService = shareProvider('sqlite');

  test('with a wrong audience or issuer, and without subject or expiry', () =>
    withService(async (service, idp) => {
      const now = service.clock.now();
      assert.equal((await askMe(service, await sign(idp, now))).status, 200);
      assert.equal((await askMe(service, await sign(idp, now, { aud: ['other', DEMO_AUDIENCE] }))).status, 200);
      for (const claims of [
        { aud: 'somebody-else' },
        { aud: [] },
        { aud: undefined },
        { iss: 'https://evil.example' },
        { iss: `${idp.issuer}/` },
        { iss: undefined },
        { sub: undefined },
        { sub: '' },
        { sub: 'x'.repeat(256) },
        { sub: 'a\0b' },
        { exp: undefined },
      ]) {
        await refuse(service, await sign(idp, now, claims), JSON.stringify(claims));
      }
    }));

  test('if it has expired or is not valid yet, with 30 seconds of tolerance', () =>
    withService(async (service, idp) => {
      const now = service.clock.now();
      const seconds = now / 1000;
      for (const [claims, expected] of [
        [{ exp: seconds - 29 }, 200],
        [{ exp: seconds - 30 }, 401],
        [{ exp: seconds - HOUR }, 401],
        [{ nbf: seconds + 30 }, 200],
        [{ nbf: seconds + 31 }, 401],
      ] as const) {
        const { status } = await askMe(service, await sign(idp, now, claims));
        assert.equal(status, expected, JSON.stringify(claims));
      }
      const token = await sign(idp, now);
      service.clock.advance((HOUR + 31) * 1000);
      await refuse(service, token, 'an hour later');
    }));

  test('with algorithm none, HS256 with the public key as secret, and a symmetric key in the header', () =>
    withService(async (service, idp) => {
      const [, payload = ''] = (await sign(idp, service.clock.now())).split('.');
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const { kid } = idp.keys.signingKey;
      for (const alg of ['none', 'None', 'NONE', '']) {
        for (const signature of ['', 'AAAA'])
          await refuse(service, `${encode({ alg, kid })}.${payload}.${signature}`, alg);
      }
      const publicKey = createPublicKey({ key: idp.keys.signingKey as never, format: 'jwk' });
      const forms = [
        publicKey.export({ type: 'spki', format: 'pem' }),
        publicKey.export({ type: 'spki', format: 'der' }),
        publicKey.export({ type: 'pkcs1', format: 'pem' }),
        JSON.stringify(publicKey.export({ format: 'jwk' })),
      ];
      for (const secret of forms) {
        for (const header of [{ alg: 'HS256', kid }, { alg: 'HS256' }, { alg: 'HS256', kid, typ: 'JWT' }]) {
          const signed = `${encode(header)}.${payload}`;
          const mac = createHmac('sha256', secret).update(signed).digest('base64url');
          await refuse(service, `${signed}.${mac}`, 'HS256');
        }
      }
    }));

  test('if its type is not that of an access token or an ID token, or if it is an event', () =>
    withService(async (service, idp) => {
      const now = service.clock.now();
      // RFC 9068, Auth0 and Keycloak on request: at+jwt. Their default, Entra and Google: JWT. Okta and Cognito: none.
      assert.equal((await askMe(service, await sign(idp, now))).status, 200, 'no type');
      for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', 'application/jwt']) {
        assert.equal((await askMe(service, await sign(idp, now, {}, { typ }))).status, 200, typ);
      }
      const types = ['logout+jwt', 'application/logout+jwt', 'secevent+jwt', 'dpop+jwt', 'oauth-authz-req+jwt', 'JOSE'];
      for (const typ of [...types, 'token-introspection+jwt', 'at+jwt ', 'jwt;', 'x+jwt', '']) {
        await refuse(service, await sign(idp, now, {}, { typ }), typ);
      }
      await refuse(service, await sign(idp, now, {}, { typ: ['JWT'] as never }), 'a list');
      // A logout token of an issuer that does not set its type.
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      for (const header of [{ typ: 'JWT' }, {}]) {
        await refuse(service, await sign(idp, now, { events, sid: '1' }, header), 'logout token');
      }
    }));

  test('if any part is changed, cut or swapped, or if it is not a JWT', () =>
    withService(async (service, idp) => {
      const token = await sign(idp, service.clock.now());
      const [header = '', payload = '', signature = ''] = token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      for (const bad of [
        `${header}.${forged}.${signature}`,
        `${header}.${payload}.${flipped}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${payload}.${header}.${signature}`,
        `${token}x`,
        'a.b.c',
        'x'.repeat(10_000),
      ]) {
        await refuse(service, bad, bad.slice(0, 40));
      }
    }));

  test('if no provider is configured', () =>
    withService(async ({ clock }, idp) => {
      await using service = await startService('sqlite', { clock });
      await refuse(service, await sign(idp, clock.now()), 'not configured');
    }));
});

describe('when the provider changes its keys or is down', () => {
  let idp: TestIdentityProvider;
  let service: TestService;
  let otherKeys: IdentityKeys;
  before(async () => {
    idp = await startIdentityProvider();
    service = await startService('sqlite');
    otherKeys = await createIdentityKeys();
  });
  beforeEach(() => idp.restart(idp.keys.signingKey));
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await idp?.[Symbol.asyncDispose]();
  });

  /** The verifier of the service, with short intervals. */
  function openSessions(options = {}) {
    const settings = { issuer: idp.issuer, clientId: undefined, clientSecret: undefined, audience: DEMO_AUDIENCE };
    const { accountsDb: db, clock } = service.services;
    const verifyToken = createTokenVerifier(
      createIssuer(() => settings, readLimits()),
      clock,
      { cooldownMs: 0, ...options },
    );
    return createSessions({ db, clock, accounts: createAccounts(db, clock), verifyToken });
  }
  const failsWith = (code: string) => (error: unknown) => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, code);
    if (code === 'service_unavailable') assert.ok(Number(error.headers['Retry-After']) >= 1);
    return true;
  };

  test('a new key is accepted without a restart, and a withdrawn one is rejected', async () => {
    const sessions = openSessions();
    const now = service.clock.now();
    const old = await sign(idp, now);
    await sessions.authenticateToken(old);
    const { signingKey } = otherKeys;
    await idp.restart(signingKey);
    const keys: IdentityKeys = { ...idp.keys, signingKey };
    await sessions.authenticateToken(await sign({ issuer: idp.issuer, keys }, now));
    await assert.rejects(sessions.authenticateToken(old), failsWith('invalid_session'));
  });

  test('a withdrawn key is rejected after the next refresh, even if no token has a new key', async () => {
    const sessions = openSessions({ refreshMs: 50, cooldownMs: 60_000 });
    const old = await sign(idp, service.clock.now());
    await sessions.authenticateToken(old);
    await idp.restart(otherKeys.signingKey);
    const codeOf = (error: unknown) => (error instanceof Failure ? error.code : undefined);
    await until('the withdrawn key is rejected', async () => {
      const code = await sessions.authenticateToken(old).then(() => undefined, codeOf);
      return code === 'invalid_session';
    });
  });

  test('while it is down, known keys stay in use; an unknown key is answered 503', async () => {
    const sessions = openSessions({ refreshMs: 0 });
    const now = service.clock.now();
    const token = await sign(idp, now);
    await sessions.authenticateToken(token);
    await idp.stop();
    const { signingKey } = otherKeys;
    const fresh = await sign({ issuer: idp.issuer, keys: { ...idp.keys, signingKey } }, now);
    // A refresh is due with every token, and fails.
    for (let tries = 0; tries < 3; tries++) {
      await sessions.authenticateToken(token);
      await assert.rejects(sessions.authenticateToken(fresh), failsWith('service_unavailable'));
    }
    await idp.restart(signingKey);
    await until('the new key is accepted', () =>
      sessions.authenticateToken(fresh).then(
        () => true,
        () => false,
      ),
    );
  });

  test('while it is down, it is asked at most once per second, however many tokens arrive', async () => {
    const [known, unknown] = [openSessions(), openSessions()];
    const now = service.clock.now();
    await known.authenticateToken(await sign(idp, now));
    await idp.stop();
    let attempts = 0;
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(Number(new URL(idp.issuer).port), '127.0.0.1', resolve));
    const { signingKey } = otherKeys;
    const token = await sign({ issuer: idp.issuer, keys: { ...idp.keys, signingKey } }, now);
    for (const [cause, sessions] of Object.entries({ 'an unknown key': known, 'no keys yet': unknown })) {
      attempts = 0;
      const started = performance.now();
      for (let tries = 0; tries < 30; tries++) {
        await assert.rejects(sessions.authenticateToken(token), failsWith('service_unavailable'));
      }
      const allowed = 2 + Math.floor((performance.now() - started) / 1_000);
      assert.ok(attempts >= 1 && attempts <= allowed, `${attempts} requests because of ${cause}`);
    }
    await new Promise((resolve) => server.close(resolve));
  });
});
