import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { STEP } from '../../src/search/memory/answer/steps.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import { runs } from '../harness/depth.ts';
import { searchEngines } from './engines.ts';
import { askOracle, countByOracle, type OracleQuery } from './oracle.ts';
import { readData } from './whole.ts';
import { everything, scenarios } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

const NAMES = ['country', 'status', 'register', 'legalForm'] as const;

for (const [name, open] of Object.entries(searchEngines)) {
  describe(`the order of results (${name})`, () => {
    const day = (registeredAt: string | null) => ({ registeredAt });

    test('the newest registration first, those without a date last, names within a day', async () => {
      const engine = await open();
      await engine.store([
        company('Delta', '1', day('2020-01-01')),
        company('Alpha', '2', day(null)),
        company('Beta', '3', day('2024-12-31')),
        company('Alpha', '4', day('2020-01-01')),
        company('Gamma', '5', day('1850-06-30')),
      ]);
      const numbers = async (fields: Partial<OracleQuery>) =>
        JSON.parse(await engine.find({ ...everything, ...fields })).data.map(
          (one: { registrationNumber: string }) => one.registrationNumber,
        );
      assert.deepEqual(await numbers({ sort: '-registeredAt' }), ['3', '4', '1', '5', '2']);
      assert.deepEqual(await numbers({ sort: '-registeredAt', page: 2, pageSize: 2 }), ['1', '5']);
      assert.deepEqual(await numbers({ sort: '-registeredAt', q: 'alpha' }), ['4', '2']);
      assert.deepEqual(await numbers({ registeredFrom: '2020-01-01' }), ['4', '3', '1']);
      assert.deepEqual(await numbers({ registeredTo: '2020-01-01', sort: '-registeredAt' }), ['4', '1', '5']);
      assert.deepEqual(await numbers({ registeredFrom: '2020-01-02', registeredTo: '2024-12-31' }), ['3']);
      assert.deepEqual(await numbers({ registeredFrom: '2021-01-01', registeredTo: '2020-01-01' }), []);
      await engine.close();
    });

    test('the counts of a filter are the totals of the searches with each of its values', async () => {
      const engine = await open();
      await fc.assert(
        fc.asyncProperty(scenarios(8), async ({ entities, queries }) => {
          const records = recordsOf(await storeWorld(engine.db, entities, NOW));
          await engine.reload();
          for (const query of queries) {
            const facets = await engine.countFacets(query);
            for (const facet of NAMES)
              assert.deepEqual(facets?.[facet], countByOracle(records, query, facet), JSON.stringify({ facet, query }));
          }
        }),
        { numRuns: runs(2, 20), endOnFailure: true },
      );
      await engine.close();
    });
  });
}
const NOW = Date.parse('2026-09-01T12:00:00.123Z');

test('a large result is sorted in several turns, and other requests get theirs meanwhile', async () => {
  const engine = await searchEngines.memory();
  const world = Array.from({ length: 2 * STEP + 100 }, (_, at) =>
    company(`Firm ${at}`, String(at), { registeredAt: `${1900 + ((at * 7) % 120)}-0${1 + (at % 9)}-01` }),
  );
  const records = recordsOf(await storeWorld(engine.db, world, NOW));
  const served = createServedIndex({ cacheBytes: 0 });
  served.use(withoutOverlay(await buildIndex(engine.db)));
  const query = { ...everything, sort: '-registeredAt', page: 40 } as const;
  const found = served.find(query);
  assert.ok(found instanceof Promise);
  // Uses the same scratch memory.
  served.find({ ...everything, q: 'firm 1' });
  assert.equal(Buffer.from((await found).body).toString(), askOracle(records, query).body);
  const whole = await served.readAll(query, readData);
  assert.ok(askOracle(records, { ...query, page: 1, pageSize: world.length }).body.startsWith(whole));
  await engine.close();
});
