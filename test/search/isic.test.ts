import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isicCodes, listRules } from '../../src/classifications/isic.ts';
import { runs } from '../harness/depth.ts';
import { searchEngines } from './engines.ts';
import { askOracle, countByOracle } from './oracle.ts';
import { everything } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

const SEED = 42;
const QUERIES = runs(200, 1_000);

const rules = listRules();
const keys = [...rules.families].flatMap(([published, family]) =>
  [...rules.codes.keys()].flatMap((key) => (key.startsWith(`${family}|`) ? `${published}|${key.split('|')[1]}` : [])),
);

/** Codes of all schemes, of which some have the same number in two editions, and codes that no table has. */
const activity = fc
  .tuple(
    fc.constantFrom(
      ...keys,
      'TOL|2002|7222',
      'KVED||6201',
      'CZ-NACE|2008|G',
      'CZ-NACE|2008|Z',
      'UK SIC|2007|7499',
      'NAF||6201',
    ),
    fc.constantFrom('', '0', '1Z'),
    fc.constantFrom({}, {}, { main: true }),
  )
  .map(([key, rest, main]) => {
    const [scheme = '', edition = '', digits = ''] = key.split('|');
    const published = edition === '' ? {} : { edition };
    return { type: 'unlicensed' as const, scheme, ...published, code: digits + rest, label: null, ...main };
  });

const query = fc
  .record({
    isic: fc.array(fc.constantFrom(...isicCodes, 'J', 'C', 'G', '62', '46', '47'), { minLength: 1, maxLength: 3 }),
    q: fc.constantFrom('', '', '', '1', 'firm', 'm 12'),
    sort: fc.constantFrom('name' as const, '-registeredAt' as const),
    page: fc.constantFrom(1, 1, 2),
  })
  .map(({ isic, ...more }) => ({ ...everything, ...more, isic: isic.join(','), pageSize: 20 }));

for (const [name, open] of Object.entries(searchEngines)) {
  test(`${QUERIES} searches by industry find what a loop over all records finds (${name})`, async () => {
    const engine = await open();
    const lists = fc.sample(fc.array(activity, { maxLength: 4 }), { seed: SEED, numRuns: 600 });
    const world = lists.map((activities, at) => company(`Firm ${at}`, String(at + 1), { activities }));
    const records = recordsOf(await storeWorld(engine.db, world, Date.UTC(2026, 0, 1)));
    await engine.reload();
    let found = 0;
    const queries = fc.sample(query, { seed: SEED, numRuns: QUERIES });
    for (const asked of queries) {
      const expected = askOracle(records, asked);
      assert.equal(await engine.find(asked), expected.body, JSON.stringify(asked));
      found += expected.total;
    }
    assert.ok(found > QUERIES, 'most searches find something');
    // Sections and divisions count companies, not activities, also without the filter and with few results.
    for (const asked of [
      everything,
      ...['firm 1', 'firm 12', 'm 123'].map((q) => ({ ...everything, q })),
      ...queries.slice(0, 4),
    ]) {
      const facets = await engine.countFacets(asked);
      const isMany = askOracle(records, { ...asked, isic: undefined }).total > 200;
      const expected = name === 'PostgreSQL' && isMany ? undefined : countByOracle(records, asked, 'isic');
      assert.deepEqual(facets?.isic, expected, JSON.stringify(asked));
    }
    await engine.close();
  });
}
