import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { invalidNames, namesWithLines, validNames } from '../accounts/key-names.ts';
import type { Client } from '../harness/client.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService, type TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

const PATH = '/api/v1/api-keys';

const create = (client: Client, { headers }: TestSession, json: unknown) =>
  client.request('POST', PATH, { headers, json });

describeOn(usualEngines, '/api/v1/api-keys', (engine) => {
  const service = useService(engine);

  test('POST 201: returns the key with its secret, which is accepted by data endpoints', async () => {
    const session = await service.signIn({ plan: 'free' });
    const { status, body } = await create(service.client, session, { name: 'production' });
    assert.equal(status, 201);
    const { id, secret, ...rest } = body.data;
    assert.match(secret, /^frm_live_[0-9A-Za-z]{46}$/);
    const createdAt = new Date(service.clock.now()).toISOString();
    const prefix = secret.slice(0, 15);
    const unused = { lastUsedAt: null, expiresAt: null, canManage: false };
    assert.deepEqual(rest, { name: 'production', prefix, createdAt, ...unused });
    const reply = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
    assert.equal(reply.status, 200);
    assert.ok(id);
  });

  test('GET 200: lists the active keys without secrets, their number and the limit of the plan', async () => {
    const session = await service.signIn({ plan: 'pro' });
    const empty = await service.client.get(PATH, { headers: session.headers });
    assert.deepEqual(empty.body, { data: [], meta: { count: 0, limit: 5 } });
    const secrets: string[] = [];
    for (const name of ['staging', 'production']) {
      service.clock.advance(1_000);
      secrets.push((await create(service.client, session, { name })).body.data.secret);
    }
    await create(service.client, await service.signIn(), { name: "somebody else's" });
    const { body, text } = await service.client.get(PATH, { headers: session.headers });
    assert.deepEqual(
      body.data.map((key: { name: string }) => key.name),
      ['staging', 'production'],
    );
    const shown = ['id', 'name', 'prefix', 'createdAt', 'lastUsedAt', 'expiresAt', 'canManage'];
    assert.deepEqual(Object.keys(body.data[0]), shown);
    assert.deepEqual(body.meta, { count: 2, limit: 5 });
    for (const secret of secrets) {
      assert.ok(!text.includes(secret) && !text.includes(secret.slice(15)) && !text.includes(hashSecret(secret)));
    }
  });

  test('POST 400: a name must have 1 to 60 characters that can be stored, and is stored as it is', async () => {
    const session = await service.signIn();
    for (const name of [...validNames, ...namesWithLines]) {
      const { status, body } = await create(service.client, session, { name });
      assert.deepEqual([status, body.data?.name], [201, name], JSON.stringify(name));
      await service.services.apiKeys.revoke(session.account.accountId, body.data.id);
    }
    for (const body of [
      ...invalidNames.map((name) => ({ name })),
      { name: 5 },
      { name: null },
      { name: ['a'] },
      {},
      { name: 'a', scope: 'all' },
      [],
      null,
      'name',
    ]) {
      const reply = await create(service.client, session, body);
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    const { headers } = session;
    const plain = await service.client.request('POST', PATH, { headers, body: 'name=a' });
    assert.deepEqual([plain.status, plain.body.error.code], [415, 'unsupported_media_type']);
    const broken = await service.client.request('POST', PATH, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name":',
    });
    assert.equal(broken.status, 400);
    const large = await create(service.client, session, { name: 'x'.repeat(70_000) });
    assert.equal(large.status, 413);
    assert.equal((await service.client.get(`${PATH}?limit=1`, { headers })).status, 400);
  });

  test('POST 409: the key limit of the plan is enforced until a key is revoked', async () => {
    const session = await service.signIn({ plan: 'free' });
    const first = await create(service.client, session, { name: 'one' });
    const { status, body } = await create(service.client, session, { name: 'two' });
    assert.deepEqual([status, body.error.code], [409, 'api_key_limit_reached']);
    assert.match(body.error.message, /allows one active API key: revoke one first, or upgrade\./);
    await service.client.request('DELETE', `${PATH}/${first.body.data.id}`, { headers: session.headers });
    assert.equal((await create(service.client, session, { name: 'two' })).status, 201);
  });

  test('DELETE 204: a revoked key is rejected with invalid_api_key, and cannot be revoked again (404)', async () => {
    const session = await service.signIn();
    const { id, secret } = (await create(service.client, session, { name: 'one' })).body.data;
    const use = () => service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
    const revoke = (key: string) => service.client.request('DELETE', `${PATH}/${key}`, { headers: session.headers });
    assert.equal((await use()).status, 200);
    assert.equal((await revoke(id.toUpperCase())).status, 204, 'the case of an id is ignored');
    const rejected = await use();
    assert.deepEqual([rejected.status, rejected.body.error.code], [401, 'invalid_api_key']);
    for (const key of [id, '00000000-0000-4000-8000-000000000000']) {
      const again = await revoke(key);
      assert.deepEqual([again.status, again.body.error.code], [404, 'api_key_not_found']);
    }
    const malformed = await revoke('x');
    assert.deepEqual([malformed.status, malformed.body.error.code], [400, 'invalid_request']);
    assert.deepEqual((await service.client.get(PATH, { headers: session.headers })).body.data, []);
  });

  test('the secret appears in one response and not in the log, an error, a list or the database', async () => {
    const session = await service.signIn();
    const { id, secret } = (await create(service.client, session, { name: 'one' })).body.data;
    const texts: string[] = [];
    const countLogged = () => service.logLines.filter((line) => line.includes('"msg":"request"')).length;
    const before = countLogged();
    const ask = async (path: string, init: RequestInit = {}, method = 'GET') => {
      texts.push((await service.client.request(method, path, init)).text);
    };
    await ask('/api/v1/countries', { headers: { 'x-api-key': secret } });
    await ask('/api/v1/entities?page=0', { headers: { authorization: `Bearer ${secret}` } });
    await ask(`/api/v1/entities?q=${secret}`);
    await ask(`/api/v1/entities?api_key=${secret}`);
    await ask(`/api/v1/entities/${secret}`);
    await ask('/api/v1/account', { headers: session.headers });
    await ask('/api/v1/account', { headers: { 'x-api-key': secret } });
    await ask(PATH, { headers: session.headers });
    await ask(`${PATH}/${secret}`, { headers: session.headers }, 'DELETE');
    await ask(`${PATH}/${id}`, { headers: session.headers }, 'DELETE');
    await ask('/api/v1/countries', { headers: { 'x-api-key': secret } });
    await until('all requests are logged', () => countLogged() >= before + texts.length);
    const tables = ['accounts', 'users', 'sessions', 'api_keys'];
    const rows = await Promise.all(tables.map((table) => service.services.accountsDb.all(`SELECT * FROM ${table}`)));
    const dump = JSON.stringify(rows);
    assert.ok(dump.includes(hashSecret(secret)), 'only the hash is stored');
    for (const [where, text] of [
      ['replies', texts.join('')],
      ['log', service.logLines.join('')],
      ['database', dump],
    ] as const) {
      assert.ok(!text.includes(secret.slice(15)), `the secret is in the ${where}`);
      assert.ok(!text.includes(session.token), `the session is in the ${where}`);
    }
  });
});

const [MONITORS, ENDPOINTS] = ['/api/v1/monitors', '/api/v1/webhook-endpoints'];

describeOn(usualEngines, 'API keys with the right to manage', (engine) => {
  test('a key with it changes monitors and webhook endpoints, one without it only reads them', async () => {
    await using service = await startService(engine);
    const session = await service.signIn();
    const send = (headers: Readonly<Record<string, string>>, method: string, path: string, json?: unknown) =>
      service.client.request(method, path, { headers, json });
    const createKey = async (given: object) => {
      const { status, body } = await send(session.headers, 'POST', '/api/v1/api-keys', given);
      assert.equal(status, 201);
      return body.data;
    };
    const [reader, manager] = [
      await createKey({ name: 'reads' }),
      await createKey({ name: 'manages', canManage: true }),
    ];
    assert.deepEqual([reader.canManage, manager.canManage], [false, true]);
    const listed = (await send(session.headers, 'GET', '/api/v1/api-keys')).body.data;
    for (const { id, canManage } of listed) assert.equal(canManage, id === manager.id);
    const [read, manage] = [{ 'x-api-key': reader.secret }, { authorization: `Bearer ${manager.secret}` }];

    const monitor = (await send(manage, 'POST', MONITORS, { name: 'mine' })).body.data;
    const created = await send(manage, 'POST', ENDPOINTS, {
      url: 'https://example.com/',
      monitorIds: [monitor.id.toUpperCase()],
    });
    assert.deepEqual([created.status, created.body.data.monitorIds], [201, [monitor.id]]);
    assert.ok(created.headers.has('x-ratelimit-remaining'));
    const endpoint = created.body.data;
    assert.match(endpoint.secret, /^whsec_/);

    const reading = [MONITORS, `${MONITORS}/${monitor.id}`, `${MONITORS}/${monitor.id}/entities`];
    reading.push(`${MONITORS}/${monitor.id}/changes`, ENDPOINTS, `${ENDPOINTS}/${endpoint.id}`);
    reading.push(`${ENDPOINTS}/${endpoint.id}/deliveries`);
    for (const path of reading) {
      const { status, body } = await send(read, 'GET', path);
      assert.equal(status, 200, path);
      assert.ok(!JSON.stringify(body).includes('whsec_'), path);
    }
    const changes: readonly (readonly [string, string, object?])[] = [
      ['POST', MONITORS, { name: 'x' }],
      ['POST', MONITORS, { invalid: true }],
      ['PATCH', `${MONITORS}/${monitor.id}`, { name: 'x' }],
      ['POST', `${MONITORS}/${monitor.id}/entities`, { add: [] }],
      ['DELETE', `${MONITORS}/${monitor.id}`],
      ['POST', ENDPOINTS, { url: 'https://example.com/' }],
      ['PATCH', `${ENDPOINTS}/${endpoint.id}`, { url: 'https://attacker.example/' }],
      ['POST', `${ENDPOINTS}/${endpoint.id}/rotate`],
      ['POST', `${ENDPOINTS}/${endpoint.id}/test`],
      ['POST', `${ENDPOINTS}/${endpoint.id}/replay`],
      ['DELETE', `${ENDPOINTS}/${endpoint.id}`],
    ];
    for (const [method, path, body] of changes) {
      const refused = await send(read, method, path, body);
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'manage_right_required'], `${method} ${path}`);
      assert.match(refused.body.error.message, /create a key with "canManage", or use a session/);
    }
    const unchanged = (await send(manage, 'GET', `${ENDPOINTS}/${endpoint.id}`)).body.data;
    const { secret: _secret, ...before } = endpoint;
    assert.deepEqual(unchanged, before);

    const { rotate, revoke, list } = service.services.apiKeys;
    const { accountId } = session.account;
    const rotated = { 'x-api-key': (await rotate(accountId, manager.id, 0)).secret };
    assert.equal((await send(rotated, 'PATCH', `${MONITORS}/${monitor.id}`, { name: 'y' })).status, 200);
    assert.equal((await send(rotated, 'POST', `${ENDPOINTS}/${endpoint.id}/test`)).status, 202);
    assert.equal((await send(rotated, 'DELETE', `${ENDPOINTS}/${endpoint.id}`)).status, 204);
    for (const { id, canManage } of await list(accountId)) if (canManage === 1) await revoke(accountId, id);
    assert.equal((await send(rotated, 'DELETE', `${MONITORS}/${monitor.id}`)).status, 401);
  });

  test('the right is true or false, and reconcile links cannot have it', async () => {
    await using service = await startService(engine);
    const session = await service.signIn();
    const create = (path: string, json: object) =>
      service.client.request('POST', path, { headers: session.headers, json });
    assert.equal((await create('/api/v1/api-keys', { name: 'a', canManage: 'yes' })).status, 400);
    assert.equal((await create('/api/v1/reconcile-links', { name: 'a', canManage: true })).status, 400);
  });
});
