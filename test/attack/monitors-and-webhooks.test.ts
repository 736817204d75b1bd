import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';

const [MONITORS, ENDPOINTS] = ['/api/v1/monitors', '/api/v1/webhook-endpoints'];

for (const engine of usualEngines) {
  describe(`hostile requests about monitors and webhooks on ${engine}`, () => {
    let service: TestService;
    let own = '';
    before(async () => {
      service = await startService(engine);
      own = await service.createKey();
    });
    after(() => service?.[Symbol.asyncDispose]());

    const send = (method: string, path: string, body?: unknown, key = own) =>
      service.client.request(method, path, {
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    /** Each error says what to do, in the documented shape. */
    const assertRefused = async (sent: ReturnType<typeof send>, status: number, text: RegExp) => {
      const { status: given, body } = await sent;
      assert.equal(given, status, JSON.stringify(body));
      assert.deepEqual(Object.keys(body.error), ['code', 'message', 'requestId', 'docs']);
      assert.match(body.error.message, text);
    };

    test('texts that a database cannot store, and ids that do not exist', async () => {
      const url = 'https://example.com/';
      await assertRefused(send('POST', ENDPOINTS, { url, description: 'a\u0000b' }), 400, /description/);
      const { id } = (await send('POST', ENDPOINTS, { url, description: '<script>😀 =1+1' })).body.data;
      await assertRefused(send('GET', `${ENDPOINTS}/${id}/deliveries?before=%00`), 400, /"before" must be the "id"/);
      await assertRefused(send('GET', `${ENDPOINTS}/${id}/deliveries?before=msg_1`), 400, /There is no such delivery/);
      await assertRefused(
        send('POST', `${ENDPOINTS}/${id}/replay?cursor=%00`),
        400,
        /use a cursor of an earlier response/,
      );
      await assertRefused(send('POST', MONITORS, { name: 'a\u0000b' }), 400, /name/i);
      await assertRefused(
        send('POST', MONITORS, { name: 'x', search: { q: '\u0000' } }),
        400,
        /"search.q" must not contain the character U\+0000/,
      );
      await assertRefused(send('GET', `${MONITORS}/x`), 400, /use the "id" of a monitor/);
      await assertRefused(send('GET', `${ENDPOINTS}/x`), 400, /use the "id" of a webhook endpoint/);
    });

    test('bodies that are too large, too deep or of the wrong kind', async () => {
      const { id } = (await send('POST', MONITORS, { name: 'x' })).body.data;
      const entities = Array.from({ length: 1_001 }, () => ({ countryCode: 'GB', registrationNumber: '1' }));
      await assertRefused(send('POST', MONITORS, { name: 'x', entities }), 400, /a list of up to 1000 companies/);
      await assertRefused(
        send('POST', `${MONITORS}/${id}/entities`, { add: ['x'.repeat(600_000)] }),
        413,
        /shorten it/,
      );
      await assertRefused(send('POST', MONITORS, '['.repeat(100_000)), 400, /JSON/);
      await assertRefused(
        send('PATCH', `${MONITORS}/${id}`, { search: { sort: 'name' } }),
        400,
        /^Unknown field "search.sort": use q, country/,
      );
      await assertRefused(
        send('PATCH', `${MONITORS}/${id}`, { search: null }),
        400,
        /"search" must be an object with the parameters of a search/,
      );
      await assertRefused(send('PATCH', `${MONITORS}/${id}`, { search: { q: 'x' } }), 400, /is a list of companies/);
      await assertRefused(send('PATCH', `${MONITORS}/${id}`, { entities: [] }), 400, /Unknown field "entities"/);
      const both = { name: 'x', entities: [], search: { q: 'x' } };
      await assertRefused(send('POST', MONITORS, both), 400, /either "entities" or "search": send one of them/);
      const ids = { url: 'https://example.com/', monitorIds: Array.from({ length: 201 }, () => id) };
      await assertRefused(send('POST', ENDPOINTS, ids), 400, /1 to 200 ids of monitors/);
    });
  });
}
