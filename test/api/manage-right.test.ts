import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';

const [MONITORS, ENDPOINTS] = ['/api/v1/monitors', '/api/v1/webhook-endpoints'];

for (const engine of usualEngines) {
  describe(`API keys with the right to manage on ${engine}`, () => {
    test('a key with it changes monitors and webhook endpoints, one without it only reads them', async () => {
      await using service = await startService(engine);
      const session = await service.signIn();
      const send = async (
        credential: Readonly<Record<string, string>>,
        method: string,
        path: string,
        body?: unknown,
      ) => {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const init = {
          method,
          headers: { ...credential, ...type },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        };
        const reply = await fetch(service.url + path, init);
        const text = await reply.text();
        return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
      };
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
        assert.deepEqual(
          [refused.status, refused.body.error.code],
          [403, 'manage_right_required'],
          `${method} ${path}`,
        );
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
      const create = (path: string, body: object) =>
        service.client.request('POST', path, {
          headers: { ...session.headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      assert.equal((await create('/api/v1/api-keys', { name: 'a', canManage: 'yes' })).status, 400);
      assert.equal((await create('/api/v1/reconcile-links', { name: 'a', canManage: true })).status, 400);
    });
  });
}
