import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { signSessionToken } from '../../demo/identity/keys.ts';
import type { Contract } from '../../src/http/contract.ts';
import { listenAdmin } from '../../src/observability/admin-server.ts';
import { NO_KEY } from '../harness/client.ts';
import { engines } from '../harness/databases.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { sign } from '../harness/payment-events.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';

type Kind = 'nothing' | 'keyHeader' | 'keyBearer' | 'sessionCookie' | 'sessionToken' | 'signature';

/** The credentials that each security scheme of the contract accepts. */
const ACCEPTED: Readonly<Record<string, Kind>> = {
  apiKey: 'keyHeader',
  bearerKey: 'keyBearer',
  session: 'sessionToken',
  sessionCookie: 'sessionCookie',
  signature: 'signature',
};
const BODIES: Readonly<Record<string, string>> = {
  '/api/v1/api-keys': '{"name":"x"}',
  '/api/v1/billing/checkout': '{"plan":"pro"}',
  '/api/v1/billing/webhook': '{"id":"evt_1","type":"x","created":1}',
};

/** API5:2023 Broken Function Level Authorization: wrong credentials for every operation, and the admin port. */
for (const engine of engines) {
  describe(`API5 functions on ${engine}`, () => {
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

    test('every operation accepts its own kind of credentials and no other, single or combined', async () => {
      const contract: Contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
      const now = service.clock.now();
      const token = await signSessionToken(idp.keys, { issuer: idp.issuer, email: 'a@b.test', now, lifeSeconds: 600 });
      const key = await service.createKey();
      const session = await service.signIn();
      const credentials = (body: string): Record<Kind, Record<string, string>> => ({
        nothing: {},
        keyHeader: { 'x-api-key': key },
        keyBearer: { authorization: `Bearer ${key}` },
        sessionCookie: { ...session.headers },
        sessionToken: { authorization: `Bearer ${token}` },
        signature: { 'payment-signature': sign(body, now) },
      });
      let refusals = 0;
      for (const [template, operations] of Object.entries(contract.paths)) {
        for (const [method, operation] of Object.entries(operations)) {
          const { security } = operation as { security: Record<string, unknown>[] };
          const opening = security.flatMap((each) => Object.keys(each)).map((scheme) => ACCEPTED[scheme]);
          const path = template.replace(/\{\w+\}/g, randomUUID());
          const body = BODIES[template] ?? '';
          const isSafe = method === 'get' || method === 'head';
          const all = credentials(body);
          const wrong = (Object.keys(all) as Kind[]).filter((kind) => !opening.includes(kind));
          const together = Object.assign({}, ...wrong.map((kind) => all[kind])) as Record<string, string>;
          const tries = [...wrong.map((kind) => [kind, all[kind]] as const), ['all the others', together] as const];
          for (const [kind, own] of tries) {
            const headers = { 'content-type': 'application/json', 'x-api-key': NO_KEY, ...own };
            if (isSafe || body === '') Reflect.deleteProperty(headers, 'content-type');
            const init = { headers, ...(!isSafe && body !== '' && { body }) };
            const reply = await service.client.request(method.toUpperCase(), path, init);
            const where = `${method} ${template} with ${kind}`;
            if (opening.length === 0) assert.ok(reply.status === 200, `${where}: ${reply.status}`);
            else if (opening.includes('signature')) assert.equal(reply.body.error?.code, 'invalid_signature', where);
            else assert.equal(reply.status, 401, where);
            refusals++;
          }
        }
      }
      assert.ok(refusals > 60, 'the contract was not read');
    });

    test('a method cannot be smuggled into a request that may', async () => {
      const session = await service.signIn();
      const made = await service.services.apiKeys.create(session.account.accountId, 'kept');
      for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
        const headers = { ...session.headers, [name]: 'DELETE' };
        const read = await service.client.get('/api/v1/api-keys', { headers });
        assert.equal(read.body.data.length, 1, name);
        const reply = await service.client.request('POST', `/api/v1/api-keys/${made.id}`, { headers });
        assert.equal(reply.status, 405, name);
      }
      const query = await service.client.get('/api/v1/api-keys?_method=DELETE', { headers: session.headers });
      assert.equal(query.status, 400);
    });
  });
}

describe('API5 the admin port', () => {
  test('serves only GET /metrics, only on this machine; the public port serves no metrics', async () => {
    await using service = await startService('sqlite');
    const admin = await listenAdmin(service.services.metrics.render, 0);
    try {
      const { origin, port } = new URL(admin.url);
      for (const path of [
        '/',
        '/metrics/',
        '/metrics?x',
        '//metrics',
        '/METRICS',
        '/%6detrics',
        '/../metrics',
        '/debug/pprof',
      ]) {
        const [reply] = await speakRaw(origin, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).catch(
          () => [],
        );
        assert.ok(reply === undefined || reply.status === 404, `${path}: ${reply?.status}`);
        const open = await fetch(`${service.url}${path === '/' ? '/metrics' : path}`);
        assert.notEqual(open.status, 200, `${path} on the public port`);
      }
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        assert.equal((await fetch(admin.url, { method })).status, 404, method);
      }
      const [outside] = Object.values(networkInterfaces())
        .flat()
        .filter((each) => each?.family === 'IPv4' && !each.internal);
      if (outside !== undefined) {
        const reached = await new Promise((resolve) => {
          const socket = connect(Number(port), outside.address);
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
          socket.setTimeout(1_000, () => resolve(false));
        });
        assert.equal(reached, false, 'the admin port is open to other machines');
      }
    } finally {
      await admin.close();
    }
  });

  test('clients cannot create metric series or write into them', async () => {
    await using service = await startService('sqlite');
    const before = (await service.services.metrics.render()).text;
    for (const path of ['/x"} 1\\n', '/api/v1/entities/a%22%7d%201', '/docs/errors/%0aforged%201']) {
      for (const method of ['PROPFIND', 'MKCOL', 'QUERY', 'M-SEARCH']) {
        await speakRaw(service.url, `${method} ${path.replaceAll(' ', '+')} HTTP/1.1\r\nHost: x\r\n\r\n`, {
          quietMs: 20,
        });
      }
    }
    const after = (await service.services.metrics.render()).text;
    assert.ok(!after.includes('forged') && !/PROPFIND|MKCOL|QUERY|M-SEARCH/.test(after));
    const count = (text: string) => text.split('\n').filter((line) => /_count\{method/.test(line)).length;
    assert.ok(count(after) - count(before) <= 3, after);
  });
});
