import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { codeOf, DETAIL, ENDPOINTS, useMeteredService } from './metered-service.ts';

for (const engine of engines) {
  describe(`keys that another machine has revoked, on ${engine}`, () => {
    const metered = useMeteredService(engine);

    /** Without the change counter of this process, so its cache still has the key. */
    const revokeElsewhere = (keyId: string) =>
      metered.service.services.accountsDb.run('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [keyId]);

    const requests: [string, string, Record<string, string>][] = [
      ...ENDPOINTS.map((path): [string, string, Record<string, string>] => [path, path, {}]),
      ['a conditional request', DETAIL, { 'if-none-match': '"x"' }],
      ['an invalid request', '/api/v1/entities?page=0', {}],
      ['a whole result', '/api/v1/entities?page=all', { accept: 'text/csv' }],
      ['changes', '/api/v1/changes', {}],
      ['exports', '/api/v1/exports', {}],
      ['a file of an export', '/api/v1/exports/latest/manifest.json', {}],
    ];
    for (const [name, path, headers] of requests) {
      test(`401 invalid_api_key at once: ${name}`, async () => {
        const key = await metered.newKey('business');
        assert.equal((await metered.get('/api/v1/countries', key)).status, 200, 'now the key is cached');
        const before = await metered.counts(key);
        await revokeElsewhere(key.keyId);
        const reply = await metered.get(path, key, headers);
        assert.equal(codeOf(reply), '401 invalid_api_key');
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="api key"');
        assert.equal(reply.headers.get('x-ratelimit-limit'), null);
        assert.equal((await metered.counts(key))[1], before[1]);
      });
    }
  });
}
