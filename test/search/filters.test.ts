import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileMatch, findMatching } from '../../src/search/match-row.ts';
import { useStore, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { openMemory } from './engines.ts';
import { askOracle, countByOracle } from './oracle.ts';
import { scenarios } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';

test('the counts of a filter are the totals of the searches with each of its values', async () => {
  await using engine = await openMemory();
  const names = ['country', 'status', 'register', 'jurisdiction', 'legalForm', 'legalFormClass', 'isic'] as const;
  await fc.assert(
    fc.asyncProperty(scenarios(8), async ({ entities, queries }) => {
      const records = await engine.store(entities);
      for (const query of queries) {
        const facets = await engine.countFacets(query);
        for (const facet of names)
          assert.deepEqual(facets?.[facet], countByOracle(records, query, facet), JSON.stringify({ facet, query }));
      }
    }),
    { numRuns: runs(2, 20), endOnFailure: true },
  );
});

describeOn(usualEngines, 'single records', (engine) => {
  const { db } = useStore(engine, 'registry');
  test('match any query that finds them', () =>
    fc.assert(
      fc.asyncProperty(scenarios(20), async ({ entities, queries }) => {
        const records = recordsOf(await storeWorld(db, entities, 1));
        const ids = records.map(({ id }) => id);
        const matches = new Map(queries.map((query, index) => [index, compileMatch(query)]));
        const found = await findMatching(db, matches, ids);
        for (const [index, query] of queries.entries()) {
          const expected = askOracle(records, { ...query, page: 1, pageSize: 1_000_000 }).ids;
          const actual = ids.filter((id) => found.get(id)?.has(index));
          assert.deepEqual(actual.sort(), [...expected].sort(), JSON.stringify(query));
        }
      }),
      { numRuns: runs(30, 200) },
    ));
});
