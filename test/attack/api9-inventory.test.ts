import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startService } from '../harness/service.ts';

/** Paths that scanners try first, and paths of the demo and of debuggers. */
const ABSENT =
  '/api /api/ /api/v1 /api/v1/ /api/v0/plans /api/v2/plans /v1/plans /openapi.json /swagger /api-docs /graphql /metrics /api/v1/metrics ' +
  '/admin /api/v1/admin /api/v1/users /api/v1/accounts /api/v1/sessions /api/v1/billing/events /debug /debug/pprof /server-status ' +
  '/health /.env /.git/config /package.json /src/main.ts /data/accounts.db /demo.json /demo/idp/auth /demo/payments/portal/x /test';

/** API9:2023 Improper Inventory Management: unknown routes, old versions, and parts of the demo in production. */
describe('API9 inventory', () => {
  test('there is no other version, source file, demo provider or debugging tool', async () => {
    await using service = await startService('sqlite');
    for (const path of ABSENT.split(' ')) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await service.client.request(method, path);
        assert.deepEqual([status, body?.error?.code], [404, 'not_found'], `${method} ${path}`);
      }
    }
  });
});
