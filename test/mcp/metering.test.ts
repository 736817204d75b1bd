import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitsOf, useMeteredService } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { callMessage, post, readJson } from './connect.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const UNKNOWN = '00000000-0000-5000-8000-000000000000';

/** Calls that return data, and cost one request of the quota. */
const CHARGED: [string, object][] = [
  ['search_companies', { q: 'alpha' }],
  ['search_companies', { q: 'no such company' }],
  ['match_company', { name: 'alpha' }],
  ['match_company', { name: 'no such company' }],
  ['get_company', { id: ALPHA }],
  ['list_countries', {}],
  ['recent_changes', { since: '2020-01-01' }],
  ['verify_provenance', { id: ALPHA }],
];
/** Calls that only count in the rate window. */
const FREE: [string, unknown][] = [
  ['check_registration_number', { number: '00000001' }],
  ['check_registration_number', {}],
  ['search_companies', { page: 0 }],
  ['match_company', { name: ' ' }],
  ['match_company', {}],
  ['search_companies', []],
  ['get_company', { id: UNKNOWN }],
  ['verify_provenance', { id: UNKNOWN }],
  ['recent_changes', { since: '2999-01-01' }],
  ['no_such_tool', {}],
];
const OTHER = [
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  { jsonrpc: '2.0', id: 1, method: 'ping' },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, method: 'no/such/method' },
  { id: 1, method: 'tools/call' },
  {},
  [],
  'null',
];

for (const engine of usualEngines) {
  describe(`metering of tools on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { newKey, setWindow, counts } = metered;
    const bearer = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` });

    test('a call that returns data costs one request; all others only count in the rate window', async () => {
      const key = await newKey();
      let window = 0;
      for (const [index, [name, given]] of CHARGED.entries()) {
        const reply = await post(metered.service, callMessage(name, given), bearer(key));
        assert.equal(reply.status, 200, name);
        assert.notEqual((await readJson(reply)).result.isError, true, name);
        assert.deepEqual(await counts(key), [++window, index + 1], name);
        assert.equal(limitsOf(reply)[4], String(1_000 - index - 1), name);
      }
      for (const [name, given] of FREE) {
        const reply = await post(metered.service, callMessage(name, given), bearer(key));
        assert.equal(limitsOf(reply)[4], String(1_000 - CHARGED.length), name);
        await reply.arrayBuffer();
        assert.deepEqual(await counts(key), [++window, CHARGED.length], `${name} ${JSON.stringify(given)}`);
      }
      for (const message of OTHER) {
        const reply = await post(metered.service, message, bearer(key));
        await reply.arrayBuffer();
        assert.deepEqual(await counts(key), [++window, CHARGED.length], JSON.stringify(message));
      }
    });

    test('calls over the rate limit are results that a model can read; other messages get 429', async () => {
      const key = await newKey();
      await setWindow(key, 60);
      for (const [name, given] of [...CHARGED.slice(0, 1), ...FREE.slice(0, 3)]) {
        const reply = await post(metered.service, callMessage(name, given), bearer(key));
        const { result } = await readJson(reply);
        assert.deepEqual([reply.status, result.isError, reply.headers.get('retry-after')], [200, true, '43']);
        assert.match(result.content[0].text, /^rate_limit_exceeded: .*wait 43 seconds, then call again\.$/);
      }
      const reply = await post(metered.service, OTHER[0], bearer(key));
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '43']);
      assert.equal((await readJson(reply)).error.code, 'rate_limit_exceeded');
      assert.deepEqual(await counts(key), [60, 0]);
    });
  });
}
