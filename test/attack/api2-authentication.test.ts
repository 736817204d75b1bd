import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import { DEMO_AUDIENCE, signSessionToken } from '../../demo/identity/keys.ts';
import { createApiKey, hashSecret } from '../../src/core/secrets.ts';
import { engines } from '../harness/databases.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';

/** API2:2023 Broken Authentication: credentials that are forged, guessed or stolen from the database. */
for (const engine of engines) {
  describe(`API2 authentication on ${engine}`, () => {
    let idp: TestIdentityProvider;
    let service: TestService;
    before(async () => {
      idp = await startIdentityProvider();
      service = await startService(engine, { env: idp.env, limits: { guessDelayMs: 0 } });
    });
    after(async () => {
      await service[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    });

    const askData = (headers: Record<string, string>) => service.client.get('/api/v1/countries', { headers });
    const askMe = (headers: Record<string, string>) => service.client.get('/api/v1/auth/me', { headers });

    test('the stored hash of a key or session is not accepted as a credential', async () => {
      const key = await service.createKey();
      const { token } = await service.signIn();
      for (const stolen of [hashSecret(key), hashSecret(key).toUpperCase(), `frm_live_${hashSecret(key)}`]) {
        assert.equal((await askData({ 'x-api-key': stolen })).status, 401);
      }
      assert.equal((await askMe({ cookie: `session=${token}` })).status, 200);
      for (const stolen of [hashSecret(token), hashSecret(token).toUpperCase()]) {
        assert.equal((await askMe({ cookie: `session=${stolen}` })).status, 401);
        assert.equal((await askMe({ authorization: `Bearer ${stolen}` })).status, 401);
      }
    });

    test('a truncated, extended, quoted, encoded or upper-case key or session is refused', async () => {
      const key = await service.createKey();
      const { token } = await service.signIn();
      const variants = (secret: string) => [
        secret.slice(0, -1),
        `${secret}0`,
        `"${secret}"`,
        `${secret.slice(0, -1)}%${secret.charCodeAt(secret.length - 1).toString(16)}`,
        secret.toUpperCase(),
        `${secret}=`,
        `${secret},${secret}`,
        `${secret}\t${secret}`,
        `' OR '1'='1`,
        '*',
        'null',
        'undefined',
        '[object Object]',
      ];
      for (const variant of variants(key)) {
        const reply = await askData({ 'x-api-key': variant });
        assert.deepEqual([reply.status, reply.body.error.code], [401, 'invalid_api_key'], variant);
      }
      for (const variant of variants(token)) {
        const reply = await askMe({ cookie: `session=${variant}` });
        assert.deepEqual([reply.status, reply.body.error.code], [401, 'invalid_session'], variant);
      }
    });

    test('401 for two Authorization headers on every surface, even if both have the same valid credential', async () => {
      const key = await service.createKey();
      const request = { issuer: idp.issuer, email: 'a@b.c', now: service.clock.now(), lifeSeconds: 60 };
      const token = await signSessionToken(idp.keys, request);
      const cookie = `Cookie: session=${(await service.signIn()).token}\r\n`;
      const surfaces: readonly (readonly [target: string, secret: string, more?: string])[] = [
        ['GET /api/v1/countries', key],
        ['GET /api/v1/countries', key, 'If-None-Match: "x"\r\n'],
        ['POST /api/v1/match', key],
        ['GET /api/v1/account', token],
        ['GET /api/v1/account', token, cookie],
        ['GET /api/v1/account', key, cookie],
        ['GET /api/v1/monitors', key],
        ['GET /api/v1/monitors', token],
        ['POST /mcp', key],
        ['POST /api/v1/reconcile', key],
      ];
      for (const [target, secret, more = ''] of surfaces) {
        const ask = async (...values: readonly string[]) => {
          const lines = values.map((value) => `Authorization: ${value}\r\n`).join('');
          const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
          const end = target.startsWith('POST') ? body : '\r\n';
          const [reply] = await speakRaw(service.url, `${target} HTTP/1.1\r\nHost: x\r\n${more}${lines}${end}`);
          return reply?.status;
        };
        const bearer = `Bearer ${secret}`;
        assert.notEqual(await ask(bearer), 401, `${target} with one header`);
        for (const two of [
          [bearer, bearer],
          [bearer, 'Bearer x'],
          ['Bearer x', bearer],
          ['Basic eDp5', bearer],
        ])
          assert.equal(await ask(...two), 401, `${target} ${two}`);
      }
    });

    test('secrets are looked up by their hash, and no SQL statement contains one', async (t) => {
      const key = await service.createKey();
      const { token } = await service.signIn();
      const { accountsDb } = service.services;
      const asked: unknown[] = [];
      for (const method of ['all', 'one', 'run'] as const) {
        const original = accountsDb[method].bind(accountsDb) as (sql: string, params?: unknown) => Promise<never>;
        t.mock.method(accountsDb, method, (sql: string, params?: unknown) => {
          asked.push(sql, params);
          return original(sql, params);
        });
      }
      const wrong = createApiKey('live');
      const forged = 'x'.repeat(43);
      await Promise.all([askData({ 'x-api-key': key }), askData({ authorization: `Bearer ${wrong}` })]);
      await Promise.all([askMe({ cookie: `session=${token}` }), askMe({ cookie: `session=${forged}` })]);
      const text = JSON.stringify(asked);
      // A database compares byte by byte. Its timing reveals only the hash, which an attacker cannot choose.
      for (const secret of [key, wrong, token, forged]) {
        assert.ok(text.includes(hashSecret(secret)), 'it is not looked up by its hash');
        assert.ok(!text.includes(secret.slice(-20)), 'the secret itself is in a statement');
      }
    });
  });
}

describe('API2 guessing', () => {
  test('wrong keys from one address are slowed down, even if headers claim other addresses', async () => {
    await using service = await startService('sqlite', { limits: { guessDelayMs: 250 } });
    let last = 0;
    for (let count = 0; count < 27; count++) {
      const started = performance.now();
      const address = `203.0.113.${count}`;
      const headers = {
        'x-api-key': createApiKey('live'),
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
        'true-client-ip': address,
      };
      assert.equal((await service.client.get('/api/v1/countries', { headers })).status, 401);
      last = performance.now() - started;
    }
    assert.ok(last >= 240, `the 27th guess was answered after ${last} ms`);
  });
});

describe('API2 session tokens', () => {
  let idp: TestIdentityProvider;
  let service: TestService;
  before(async () => {
    idp = await startIdentityProvider();
    service = await startService('sqlite', { env: idp.env });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await idp[Symbol.asyncDispose]();
  });

  const encode = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  const claims = () => ({
    iss: idp.issuer,
    aud: DEMO_AUDIENCE,
    sub: 'mallory',
    exp: Math.floor(service.clock.now() / 1000) + 600,
  });
  const kid = () => idp.keys.signingKey.kid ?? '';
  async function sign(payload: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
    const { alg = '' } = idp.keys.signingKey;
    const key = await importJWK(idp.keys.signingKey, alg);
    return new SignJWT(payload).setProtectedHeader({ alg, kid: kid(), ...header } as { alg: string }).sign(key);
  }
  async function refuse(token: string, what: string): Promise<void> {
    const reply = await service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([reply.status, reply.body.error?.code], [401, 'invalid_session'], what);
  }

  test('alg none in any spelling, symmetric algorithms and empty signatures are refused', async () => {
    for (const alg of [
      'none',
      'None',
      'NONE',
      'nOnE',
      '',
      'HS256',
      'HS512',
      'RS1',
      'A128KW',
      'dir',
      null,
      7,
      ['RS256'],
    ]) {
      for (const signature of [
        '',
        'AA',
        Buffer.alloc(64).toString('base64url'),
        Buffer.alloc(256).toString('base64url'),
      ]) {
        await refuse(`${encode({ alg, kid: kid() })}.${encode(claims())}.${signature}`, `${alg} ${signature.length}`);
      }
    }
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']) {
      await refuse(`${encode({ alg, kid: kid() })}.${encode(claims())}.${Buffer.alloc(64).toString('base64url')}`, alg);
    }
    const body = `${encode({ alg: 'HS256', kid: kid() })}.${encode(claims())}`;
    const known = ['', 'secret', kid(), JSON.stringify(idp.keys.signingKey.n ?? idp.keys.signingKey.x)];
    for (const secret of known) {
      await refuse(`${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`, 'a known secret');
    }
  });

  test('key ids that look like paths, SQL or URLs and critical or unusual headers are refused', async () => {
    for (const wanted of ['../../../dev/null', "' OR 1=1 --", 'http://127.0.0.1:1/', '\0', '', 'x'.repeat(5_000)]) {
      await refuse(await sign(claims(), { kid: wanted }), wanted.slice(0, 40));
    }
    assert.equal(
      (await service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${await sign(claims())}` } }))
        .status,
      200,
    );
    const good = await sign(claims());
    const [, payload = '', signature = ''] = good.split('.');
    const { alg } = idp.keys.signingKey;
    for (const header of [
      { crit: ['exp'] },
      { crit: ['b64'], b64: false },
      { b64: false },
      { zip: 'DEF' },
      { typ: 7 },
    ]) {
      await refuse(`${encode({ alg, kid: kid(), ...header })}.${payload}.${signature}`, JSON.stringify(header));
    }
    for (const token of [
      `${good}.`,
      `.${good}`,
      `${good}.${signature}`,
      `${encode('{')}.${payload}.${signature}`,
      `${encode('[]')}.${payload}.${signature}`,
      `${good.replaceAll('.', '..')}`,
      `${good} ${good}`,
      `${'a.'.repeat(8_000)}a`,
      'e30.e30.',
    ]) {
      await refuse(token, token.slice(0, 40));
    }
  });

  test('claims grant no plan, role or other account', async () => {
    const { account } = await service.signIn({ plan: 'business' });
    const token = await sign({
      ...claims(),
      sub: 'eve',
      plan: 'business',
      role: 'admin',
      roles: ['admin'],
      scope: 'admin *',
      accountId: account.accountId,
      account_id: account.accountId,
      'https://firmament/accountId': account.accountId,
      maxApiKeys: 1_000,
    });
    const { body } = await service.client.get('/api/v1/account', { headers: { authorization: `Bearer ${token}` } });
    assert.notEqual(body.data.id, account.accountId);
    assert.equal(body.data.plan.id, 'free');
  });
});
