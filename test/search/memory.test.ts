import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createEngine, type Engine } from '../../src/search/memory/answer/engine.ts';
import { STEP } from '../../src/search/memory/answer/steps.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import { createDatabase, type Engine as Database, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { askOracle, type OracleQuery, type OracleRecord } from './oracle.ts';
import { readData } from './whole.ts';
import { everything, scenarios } from './world-queries.ts';
import { changeWorld, NOW, recordsOf, storeWorld } from './world-store.ts';
import { company, type WorldEntity, worlds } from './worlds.ts';

async function openMigrated(engine: Database) {
  const database = await createDatabase(engine, { migrated: true });
  const db = openStore('registry', database);
  const close = async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  };
  return { db, database, close };
}

const bodyOf = (body: Uint8Array) => new TextDecoder().decode(body);

/** A cache must not change a result, including the second time. */
async function enginesOn(db: Db): Promise<Engine[]> {
  const state = withoutOverlay(await buildIndex(db));
  const caching = createEngine(state);
  return [createEngine(state, { cacheBytes: 0 }), caching, caching, createEngine(state, { cacheBytes: 2_000 })];
}

function assertLikeOracle(
  engines: readonly Engine[],
  records: readonly OracleRecord[],
  queries: readonly OracleQuery[],
) {
  for (const query of queries) {
    const { body } = askOracle(records, query);
    for (const engine of engines) assert.equal(bodyOf(engine.find(query).body), body, JSON.stringify(query));
  }
}

const companies = (count: number, make: (at: number) => WorldEntity) =>
  Array.from({ length: count }, (_, at) => make(at));

const SCRIPTS = ['Нова Компанія', 'Ελληνική Τράπεζα', 'შპს საქართველო', 'شركة البنك', '株式会社 東京', '🏢 🏠 Ltd'];
const LONG = `${'x'.repeat(150)} ${'y'.repeat(150)}`;
const PUNCTUATED = '100% _pure_ (uk) & co.';
const SHORT_NUMBERS = ['x', 'wx', 'vwx', 'uvwx', 'tuvwx', 'x-1', '1-xw', 'aax', 'xaa', 'aaxaa', 'q', 'é', 'oéo', '7é'];
const SHORT_FRAGMENTS = 'x wx vwx w aa aax xa 1x q é oé 7é y 5y 59y 99'.split(' ');

/** Worlds, and for some queries what they find: the names, or how many. */
const CASES: Readonly<Record<string, readonly [readonly WorldEntity[], object]>> = {
  'an empty store': [[], { '': [], a: [] }],
  'one entity': [[company('Only One')], { 'ly on': ['Only One'] }],
  'empty names, which sort first': [[company('b', '17'), company('', '18')], { '': ['', 'b'], 18: [''] }],
  'fragments in any script, inside words and across them': [
    SCRIPTS.map((name, at) => company(name, `9${at}9`)),
    Object.fromEntries(
      ['ова ком', 'ΚΗ ΤΡΑΠ', 'ს საქ', 'ة الب', '会社 東', '🏢 🏠 L'].map((q, at) => [q, [SCRIPTS[at]]]),
    ),
  ],
  'a lone surrogate, for which the replacement character is stored': [
    [company('a\ud83cb', '1'), company('ab', '2')],
    { '\ud83c': ['a\ufffdb'] },
  ],
  'many entities with the same name, which are ordered by id': [
    companies(50, (at) => company('Same', String(at))),
    { same: 50 },
  ],
  'fragments of 200 characters, one character, spaces and punctuation': [
    [company(LONG, '1'), company(PUNCTUATED, '2-3'), company('plain', '4')],
    {
      ...{ [LONG.slice(50, 250)]: [LONG], p: [PUNCTUATED, 'plain'], '   ': 3, '%_': [] },
      ...Object.fromEntries(['%', '_', '&', '.', '% _', ') &', '-'].map((q) => [q, [PUNCTUATED]])),
    },
  ],
  // A name with two words that contain the fragment is found once; the word after the last one that matches is not.
  'fragments of few words, in a world where few fragments are broad': [
    [
      ...companies(1_300, (at) => company(`plain ${at}`)),
      ...companies(30, (at) => company(`omega plain abc${at}`)),
      ...['qat', 'qat 1', 'qat 2', 'sqats tqat', 'omega abc', 'omega abd'].map((name) => company(name)),
    ],
    { qat: ['qat', 'qat 1', 'qat 2', 'sqats tqat'], 'mega abc': ['omega abc'] },
  ],
  'fragments of one to three characters anywhere in a number, also if few or all numbers end with them': [
    [
      ...companies(600, (at) => company('plain', `${1_000 + at}y`)),
      ...SHORT_NUMBERS.map((number) => company('plain', number)),
    ],
    { ...Object.fromEntries(SHORT_FRAGMENTS.map((q) => [q, 'some'])), yy: [], zz: [] },
  ],
  'a word too frequent to have its own list, complete, in part and in phrases': [
    companies(200, (at) => company(`firm${at % 10} of limited liability ${at}`, `n${at}`)),
    {
      ...{ limited: 100, imite: 100, 'limited liab': 100, 'of limited l': 100, 'ty 1': 100 },
      'firm3 of limited liability 93': ['firm3 of limited liability 93'],
    },
  ],
};

describe('search in memory', () => {
  const stores = new Map<Database, Awaited<ReturnType<typeof openMigrated>>>();
  let db: Db;
  before(async () => {
    for (const engine of usualEngines) stores.set(engine, await openMigrated(engine));
    db = stores.get('sqlite')?.db ?? assert.fail();
  });
  after(async () => {
    for (const { close } of stores.values()) await close();
  });

  test('random queries are answered like the oracle, before and after a re-import', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(100), async ({ entities, queries, change, later }) => {
        for (const store of stores.values()) {
          const stored = await storeWorld(store.db, entities, NOW);
          assertLikeOracle(await enginesOn(store.db), recordsOf(stored), queries);
          const changed = await changeWorld(store.db, stored, change, NOW + 1_000);
          assertLikeOracle(await enginesOn(store.db), recordsOf(changed), later);
        }
      }),
      { numRuns: runs(3, 30), endOnFailure: true },
    );
  });

  test('two threads build the same index as one', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (entities) => {
        for (const store of stores.values()) {
          await storeWorld(store.db, entities, NOW);
          assert.deepEqual(await buildIndex(store.database), await buildIndex(store.db));
        }
      }),
      { numRuns: runs(1, 10), endOnFailure: true },
    );
  });

  test('all pages of any query, at any page size, contain each match once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(20), fc.integer({ min: 1, max: 100 }), async ({ entities, queries }, pageSize) => {
        const stored = recordsOf(await storeWorld(db, entities, NOW));
        for (const engine of await enginesOn(db)) {
          for (const query of queries) {
            const walked: string[] = [];
            let pageCount = 1;
            for (let page = 1; page <= pageCount; page++) {
              const { data, meta } = JSON.parse(bodyOf(engine.find({ ...query, page, pageSize }).body));
              walked.push(...data.map(({ id }: { id: string }) => id));
              ({ pageCount } = meta);
              assert.equal(data.length, Math.min(pageSize, meta.total - (page - 1) * pageSize));
            }
            const { ids } = askOracle(stored, { ...query, page: 1, pageSize: Number.MAX_SAFE_INTEGER });
            assert.deepEqual(walked, ids);
          }
        }
      }),
      { numRuns: runs(2, 20), endOnFailure: true },
    );
  });

  for (const [what, [world, expected]] of Object.entries(CASES)) {
    test(`finds ${what}`, async () => {
      const stored = recordsOf(await storeWorld(db, world, NOW));
      const engines = await enginesOn(db);
      for (const [q, found] of Object.entries(expected)) {
        const query = { ...everything, q };
        assertLikeOracle(engines, stored, [query]);
        const { data } = JSON.parse(askOracle(stored, query).body);
        const names = data.map(({ canonicalName }: { canonicalName: string }) => canonicalName);
        if (found === 'some') assert.ok(names.length > 0, q);
        else assert.deepEqual(typeof found === 'number' ? names.length : names, found, q);
      }
    });
  }

  test('filters apply to phrases, even if the fragment is also a part of many numbers', async () => {
    const legalForm = { label: 'Ltd' };
    const world = [
      ...companies(400, (at) => company(`plain ${at}`, `ab123-${at}`)),
      // Words with the same edges share a posting list, so that the words of each name have to be checked.
      ...companies(20, (at) => company(`other ${at}b12 3y`, `m${at}`)),
      company('left out xab12 3y', 'n1'),
      company('wanted xab12 3y', 'n2', { legalForm }),
      company('wanted too', 'ab123-x', { legalForm }),
    ];
    const stored = recordsOf(await storeWorld(db, world, NOW));
    const query = { ...everything, q: 'ab12 3', legalForm: 'Ltd' };
    assert.equal(askOracle(stored, query).ids.length, 2);
    assertLikeOracle(await enginesOn(db), stored, [query]);
  });

  test('a large result is sorted in several turns, and other requests get theirs meanwhile', async () => {
    const world = companies(2 * STEP + 100, (at) =>
      company(`Firm ${at}`, String(at), { registeredAt: `${1900 + ((at * 7) % 120)}-0${1 + (at % 9)}-01` }),
    );
    const records = recordsOf(await storeWorld(db, world, NOW));
    const served = createServedIndex({ cacheBytes: 0 });
    served.use(withoutOverlay(await buildIndex(db)));
    const query = { ...everything, sort: '-registeredAt', page: 40 } as const;
    const found = served.find(query);
    assert.ok(found instanceof Promise);
    // Uses the same scratch memory.
    served.find({ ...everything, q: 'firm 1' });
    assert.equal(bodyOf((await found).body), askOracle(records, query).body);
    const whole = await served.readAll(query, readData);
    assert.ok(askOracle(records, { ...query, page: 1, pageSize: world.length }).body.startsWith(whole));
  });
});
