import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { version } from '../../src/config/config.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const LIVE = { status: 'ok', service: 'web', version };
const READY = { status: 'ready', database: 'ok', version };
const NOT_READY = { status: 'unavailable', database: 'error', version };

for (const engine of usualEngines) {
  describe(`health on ${engine}`, () => {
    test('live and ready answer 200 when the databases are up and migrated', async () => {
      await using service = await startService(engine);
      const live = await service.client.get('/api/v1/health/live');
      assert.deepEqual([live.status, live.body], [200, LIVE]);
      const ready = await service.client.get('/api/v1/health/ready');
      assert.deepEqual([ready.status, ready.body], [200, READY]);
      assert.equal((await service.client.get('/api/v1/health/ready?from=balancer')).status, 200);
    });

    test('ready answers 503 until the migrations have completed; live answers 200', async () => {
      const database = await createDatabase(engine, { empty: true });
      await using service = await startService(engine, { database, unprepared: true });
      const ready = await service.client.get('/api/v1/health/ready');
      assert.deepEqual([ready.status, ready.body], [503, NOT_READY]);
      assert.equal((await service.client.get('/api/v1/health/live')).status, 200);
      await service.services.migrate();
      await service.services.prepare();
      // A result is cached for a moment, so the previous one may be returned once more.
      await until(
        'the service is ready',
        async () => (await service.client.get('/api/v1/health/ready')).status === 200,
      );
    });

    test('ready answers 503 if the schema is newer than the program', async () => {
      await using service = await startService(engine);
      const newer = "INSERT INTO migrations (version, name, applied_at) VALUES (9999, '9999_future.sql', 0)";
      await service.services.accountsDb.run(newer);
      const ready = await service.client.get('/api/v1/health/ready');
      assert.deepEqual([ready.status, ready.body], [503, NOT_READY]);
      await assert.rejects(service.services.prepare(), /newer release/);
    });

    test('ready answers 503 if one of the two databases is unavailable; live answers 200', async () => {
      await using service = await startService(engine);
      await service.services.registryDb.close();
      const ready = await service.client.get('/api/v1/health/ready');
      assert.deepEqual([ready.status, ready.body], [503, NOT_READY]);
      assert.equal((await service.client.get('/api/v1/health/live')).status, 200);
    });

    test('concurrent probes share one check of the databases', async () => {
      await using service = await startService(engine);
      const answers = await Promise.all(Array.from({ length: 100 }, () => service.client.get('/api/v1/health/ready')));
      assert.ok(answers.every(({ status }) => status === 200));
      assert.ok(service.services.accountsDb.pool().open <= 5);
    });
  });
}
