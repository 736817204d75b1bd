import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIdentityKeys, DEMO_AUDIENCE, type IdentityKeys } from '../../demo/identity/keys.ts';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createIssuer } from '../../src/accounts/issuer.ts';
import { createSessions } from '../../src/accounts/sessions.ts';
import { createTokenVerifier } from '../../src/accounts/token-verifier.ts';
import { Failure } from '../../src/core/errors.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { readLimits } from '../harness/limits.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { askMe, sign } from './signed-token.ts';

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
    const sessions = openSessions({ refreshMs: 20 });
    const now = service.clock.now();
    const token = await sign(idp, now);
    await sessions.authenticateToken(token);
    await idp.stop();
    // Several refreshes become due and fail meanwhile.
    for (let tries = 0; tries < 8; tries++) {
      await sessions.authenticateToken(token);
      await sleep(10);
    }
    const { signingKey } = otherKeys;
    const fresh = await sign({ issuer: idp.issuer, keys: { ...idp.keys, signingKey } }, now);
    await assert.rejects(sessions.authenticateToken(fresh), failsWith('service_unavailable'));
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

  test('if it is down from the start, tokens are answered 503 with Retry-After until it is back', async () => {
    await idp.stop();
    await using service = await startService('sqlite', { env: idp.env });
    const token = await sign(idp, service.clock.now());
    const reply = await askMe(service, token);
    assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
    assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    await idp.restart();
    await until('the token is accepted', async () => (await askMe(service, token)).status === 200);
  });
});
