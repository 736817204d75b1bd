import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openStore } from '../../src/db/open.ts';
import { compileMatch, findMatching } from '../../src/search/match-row.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { askOracle } from './oracle.ts';
import { scenarios } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';

for (const engine of engines) {
  describe(`whether single records match, on ${engine}`, () => {
    test('any query matches the records that a search finds', async () => {
      const database = await createDatabase(engine, { migrated: true });
      const db = openStore('registry', database);
      try {
        await fc.assert(
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
          { numRuns: runs(50, 1_000) },
        );
      } finally {
        await db.close();
        await database.remove();
      }
    });
  });
}
