import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';

for (const engine of usualEngines) {
  describe(`GET /api/v1/plans on ${engine}`, () => {
    test('200: all plans, without credentials', async () => {
      await using service = await startService(engine);
      const { status, body } = await service.client.get('/api/v1/plans');
      assert.equal(status, 200);
      assert.deepEqual(body, {
        data: [
          {
            id: 'free',
            name: 'Free',
            monthlyPriceEur: 0,
            monthlyRequests: 1000,
            requestsPerMinute: 60,
            maxApiKeys: 1,
            maxMonitors: 2,
            maxWatchedCompanies: 100,
          },
          {
            id: 'pro',
            name: 'Pro',
            monthlyPriceEur: 29,
            monthlyRequests: 100000,
            requestsPerMinute: 600,
            maxApiKeys: 5,
            maxMonitors: 20,
            maxWatchedCompanies: 10000,
          },
          {
            id: 'business',
            name: 'Business',
            monthlyPriceEur: 99,
            monthlyRequests: 1000000,
            requestsPerMinute: 3000,
            maxApiKeys: 20,
            maxMonitors: 200,
            maxWatchedCompanies: 100000,
          },
        ],
      });
    });

    test('400: an unknown query parameter is rejected, not ignored', async () => {
      await using service = await startService(engine);
      for (const query of ['page=1', 'x', '%61=1', 'a=1&a=2', 'x=%zz']) {
        const { status, body } = await service.client.get(`/api/v1/plans?${query}`);
        assert.equal(status, 400, query);
        assert.equal(body.error.code, 'invalid_request');
      }
      assert.equal((await service.client.get('/api/v1/plans?')).status, 200);
    });
  });
}
