import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createReadiness } from '../../src/services/readiness.ts';
import { usualEngines } from '../harness/databases.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

describe('the check of readiness', () => {
  /** Services that work until `break` names what does not. */
  function createServices({ readinessMs = 60_000 } = {}) {
    const state = { checks: 0, lines: [] as string[], broken: '', hangs: false };
    const step = async (name: string) => {
      if (state.broken === name) throw new Error(`${name} is broken`);
      if (state.hangs) await new Promise(() => undefined);
    };
    const keep = (_fields: unknown, message?: string) => void state.lines.push(message ?? String(_fields));
    const isReady = createReadiness({
      schemas: {
        readState: async () => {
          state.checks++;
          await step('schema');
          return state.broken === 'migration' ? 'behind' : state.broken === 'release' ? 'ahead' : 'current';
        },
      },
      apiKeys: { findKey: async () => (await step('keys')) as undefined },
      meter: { probe: () => step('meter') },
      search: {
        isReady: () => state.broken !== 'index',
        version: async () => {
          await step('search');
          return '1';
        },
      },
      registry: {
        findEntity: async () => (await step('records')) as undefined,
        version: async () => {
          await step('registry');
          return '1';
        },
      },
      log: { info: keep, warn: keep },
      timeLimits: { readinessMs },
    } as unknown as Parameters<typeof createReadiness>[0]);
    return { state, isReady };
  }

  test('many probes share one check, whose result is kept for a moment', async () => {
    const { state, isReady } = createServices();
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, isReady))), new Set([true]));
    await isReady();
    assert.equal(state.checks, 1);
    await until('it is checked again', async () => (await isReady()) && state.checks === 2);
  });

  test('it fails with each step of a data request, and the log has one line per change', async () => {
    for (const broken of [
      'schema',
      'migration',
      'release',
      'keys',
      'meter',
      'index',
      'search',
      'records',
      'registry',
    ]) {
      const { state, isReady } = createServices();
      state.broken = broken;
      assert.equal(await isReady(), false, broken);
      await until('it is checked again', async () => !(await isReady()) && state.checks === 2);
      assert.deepEqual(state.lines, ['not ready'], broken);
      state.broken = '';
      await until('it is ready again', isReady);
      assert.deepEqual(state.lines, ['not ready', 'ready again'], broken);
    }
  });

  test('it fails if the databases do not answer in time', async () => {
    const { state, isReady } = createServices({ readinessMs: 20 });
    state.hangs = true;
    assert.equal(await isReady(), false);
    assert.deepEqual(state.lines, ['not ready']);
  });
});

for (const engine of usualEngines) {
  describe(`readiness probes on ${engine}`, () => {
    const service = useService(engine);
    const readStatus = async () => (await service.client.get('/api/v1/health/ready')).status;

    test('they leave no trace in the accounts', async () => {
      const { accountsDb, meter } = service.services;
      const key = await service.createKey({ plan: 'free' });
      const countRows = () =>
        Promise.all(
          ['rate_windows', 'quotas', 'usage_daily'].map(
            async (table) => (await accountsDb.all(`SELECT * FROM ${table}`)).length,
          ),
        );
      assert.equal(await readStatus(), 200);
      await meter.probe();
      assert.deepEqual(await countRows(), [0, 0, 0]);
      const { headers } = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });
      assert.equal(headers.get('X-Monthly-Quota-Remaining'), '999');
      assert.equal(await readStatus(), 200);
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
  });
}
