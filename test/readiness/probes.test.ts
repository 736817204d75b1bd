import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { readStatus } from './probe.ts';

for (const engine of engines) {
  describe(`readiness probes on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service?.[Symbol.asyncDispose]());

    test('many probes share few checks', async (t) => {
      const { mock } = t.mock.method(service.services.accountsDb, 'transaction');
      const started = performance.now();
      let probes = 0;
      while (performance.now() - started < 1_000) {
        const statuses = await Promise.all(Array.from({ length: 20 }, () => readStatus(service)));
        assert.ok(statuses.every((status) => status === 200));
        probes += statuses.length;
        await sleep(100);
      }
      const seconds = (performance.now() - started) / 1_000;
      assert.ok(mock.callCount() >= 1 && mock.callCount() <= 10 * seconds + 1, `${mock.callCount()} transactions`);
      assert.ok(probes > mock.callCount());
    });

    test('they leave no trace in the accounts', async () => {
      const key = await service.createKey({ plan: 'free' });
      const countRows = async () => {
        const tables = ['rate_windows', 'quotas', 'usage_daily'];
        return Promise.all(
          tables.map(async (table) => (await service.services.accountsDb.all(`SELECT * FROM ${table}`)).length),
        );
      };
      for (let count = 0; count < 5; count++) {
        assert.equal(await readStatus(service), 200);
        await sleep(120);
      }
      assert.deepEqual(await countRows(), [0, 0, 0]);
      const { headers } = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });
      assert.equal(headers.get('X-Monthly-Quota-Remaining'), '999');
      assert.equal(await readStatus(service), 200);
      // The windows of the key and of all keys of its account.
      assert.deepEqual(await countRows(), [2, 1, 1]);
    });

    test('a probe right after a counted request writes nothing', async (t) => {
      const { meter, accountsDb } = service.services;
      await service.findKey();
      const { mock } = t.mock.method(accountsDb, 'transaction');
      // The time stands still, so that a busy machine makes no difference.
      let now = performance.now();
      t.mock.method(performance, 'now', () => now);
      await service.client.get('/api/v1/countries');
      const counted = mock.callCount();
      await meter.probe();
      assert.equal(mock.callCount(), counted, 'the probe wrote');
      // A request is a proof for 100 ms.
      now += 120;
      await meter.probe();
      assert.equal(mock.callCount(), counted + 1, 'later, a probe writes');
    });

    test('under load the service stays ready', async (t) => {
      await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
      const key = await service.createKey();
      const until = performance.now() + 1_500;
      const statuses = new Set<number>();
      const probed = new Set<number>();
      const load = Array.from({ length: 10 }, async () => {
        while (performance.now() < until) {
          const { status } = await service.client.get('/api/v1/entities?q=alpha', { headers: { 'x-api-key': key } });
          statuses.add(status);
          await sleep(60);
        }
      });
      const probes = async () => {
        while (performance.now() < until) {
          probed.add(await readStatus(service));
          await sleep(20);
        }
      };
      await Promise.all([...load, probes()]);
      assert.deepEqual([...probed], [200]);
      assert.ok(statuses.has(200));
      t.diagnostic(`data requests were answered ${[...statuses]}`);
    });

    test('the log has one line per change', async (t) => {
      const since = service.logLines.length;
      const messages = () =>
        service.logLines
          .slice(since)
          .map((line) => JSON.parse(line).msg)
          .filter((text) => /^(not ready|ready again)$/.test(text));
      for (let count = 0; count < 3; count++) {
        await readStatus(service);
        await sleep(120);
      }
      assert.deepEqual(messages(), []);
      const { mock } = t.mock.method(service.services.meter, 'probe', () => Promise.reject(new Error('no disk')));
      for (let count = 0; count < 3; count++) {
        await sleep(120);
        assert.equal(await readStatus(service), 503);
      }
      assert.deepEqual(messages(), ['not ready']);
      mock.restore();
      for (let count = 0; count < 3; count++) {
        await sleep(120);
        assert.equal(await readStatus(service), 200);
      }
      assert.deepEqual(messages(), ['not ready', 'ready again']);
    });
  });
}
