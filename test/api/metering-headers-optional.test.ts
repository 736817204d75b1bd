import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { NO_KEY } from '../harness/client.ts';
import { engines } from '../harness/databases.ts';
import { DRAFT_HEADERS } from './draft-limits.ts';
import { limitsOf, METERING_HEADERS, useMeteredService } from './metered-service.ts';

/** Operations for keys and sessions. With a key, requests count in its window. With a session, only those for changes count. */
const PATHS = [
  '/api/v1/monitors',
  '/api/v1/monitors/{id}',
  '/api/v1/monitors/{id}/entities',
  '/api/v1/monitors/{id}/changes',
];
const NONE = '/api/v1/monitors/00000000-0000-4000-8000-000000000000';
const REQUESTS: readonly [method: string, path: string, status: number][] = [
  ['GET', '/api/v1/monitors', 200],
  ['HEAD', '/api/v1/monitors', 200],
  ['GET', '/api/v1/monitors?x=%E0%A4', 400],
  ['POST', '/api/v1/monitors', 400],
  ['GET', NONE, 404],
  ['PATCH', NONE, 404],
  ['DELETE', NONE, 404],
  ['GET', `${NONE}/entities`, 404],
  ['POST', `${NONE}/entities`, 404],
  ['GET', `${NONE}/changes`, 404],
  ['GET', `${NONE}/changes?limit=0`, 400],
];

for (const engine of engines) {
  describe(`metering headers of operations for keys and sessions, on ${engine}`, () => {
    const metered = useMeteredService(engine);

    function send(method: string, path: string, credentials: Record<string, string>) {
      const json = ['POST', 'PATCH'].includes(method);
      const headers = { ...credentials, ...(json && { 'content-type': 'application/json' }) };
      return metered.service.client.request(method, path, { headers, ...(json && { body: '{}' }) });
    }

    test('requests with a key have them and use its window, but no quota', async () => {
      const key = await metered.newKey();
      for (const [index, [method, path, status]] of REQUESTS.entries()) {
        const reply = await send(method, path, key.headers);
        const isRead = ['GET', 'HEAD'].includes(method);
        assert.equal(reply.status, isRead ? status : 403, `${method} ${path}`);
        const expected = ['60', String(59 - index), '1773576060', '1000', '1000', '2026-04-01T00:00:00.000Z'];
        assert.deepEqual(limitsOf(reply), expected, `${method} ${path}`);
      }
      assert.deepEqual(await metered.counts(key), [REQUESTS.length, 0]);
    });

    test('requests with a session do not have them, but those for changes do, which are charged', async () => {
      const { session } = await metered.newKey();
      for (const [method, path, status] of REQUESTS) {
        const reply = await send(method, path, { ...session.headers, 'x-api-key': NO_KEY });
        const [limit, , , quota] = limitsOf(reply);
        const expected = path.includes('/changes') ? ['60', '1000'] : [null, null];
        assert.deepEqual([reply.status, limit, quota], [status, ...expected], `${method} ${path}`);
      }
    });
  });
}

describe('optional limits in the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  /** Sent before a request is counted. */
  const NEVER_COUNTED = ['401', '405', '408', '414', '431'];
  type Operation = { readonly responses: Record<string, { readonly headers: Record<string, object> }> };

  test('these are all operations for keys and sessions', () => {
    assert.deepEqual(
      Object.keys(contract.paths)
        .filter((path) => path.startsWith('/api/v1/monitors'))
        .sort(),
      PATHS.toSorted(),
    );
  });

  for (const path of PATHS) {
    test(`every method of ${path} lists the headers as optional on every answer after the meter`, () => {
      for (const [method, { responses }] of Object.entries<Operation>(contract.paths[path])) {
        for (const [status, { headers }] of Object.entries(responses)) {
          for (const name of [...METERING_HEADERS, ...DRAFT_HEADERS]) {
            const reference = { $ref: `#/components/headers/Optional-${name}` };
            const expected = NEVER_COUNTED.includes(status) ? undefined : reference;
            assert.deepEqual(headers[name], expected, `${method} ${status} ${name}`);
          }
        }
      }
    });
  }
});
