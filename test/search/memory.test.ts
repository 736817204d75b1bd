import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_NAME_LENGTH } from '../../src/core/entity-summary.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { createEngine, type Engine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createPostgresSearch } from '../../src/search/postgres.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { askOracle, type OracleQuery, type OracleRecord } from './oracle.ts';
import { readData } from './whole.ts';
import { everything, scenarios } from './world-queries.ts';
import { changeWorld, recordsOf, storeWorld } from './world-store.ts';
import { company, type WorldEntity, worlds } from './worlds.ts';

const NOW = Date.parse('2026-09-01T12:00:00.123Z');
const silent = { info: () => undefined, warn: () => undefined };

async function openMigrated(engine: 'sqlite' | 'postgres') {
  const database = await createDatabase(engine, { migrated: true });
  const db = openStore('registry', database);
  await migrate(db, readMigrations('registry'), testClock());
  return {
    db,
    database,
    async close() {
      await db.close();
      await database.remove();
    },
  };
}

const bodyOf = (body: Uint8Array) => new TextDecoder().decode(body);

/**
 * Compares engines with and without a cache with the oracle. A cache must not change a result, including the second
 * time.
 */
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

async function enginesOn(db: Db): Promise<Engine[]> {
  const state = withoutOverlay(await buildIndex(db));
  const caching = createEngine(state);
  return [createEngine(state, { cacheBytes: 0 }), caching, caching, createEngine(state, { cacheBytes: 2_000 })];
}

const RUNS = runs(2, 50);
const WHOLE_QUERIES = 20;

describe('search in memory', () => {
  let store: Awaited<ReturnType<typeof openMigrated>>;
  let other: Awaited<ReturnType<typeof openMigrated>>;
  before(async () => {
    store = await openMigrated('sqlite');
    other = await openMigrated('postgres');
  });
  after(async () => {
    await store.close();
    await other.close();
  });

  test('random queries: memory and PostgreSQL answer like the oracle, before and after a re-import', async () => {
    const postgres = createPostgresSearch(other.db, silent);
    await postgres.refresh();
    let sent = 0;
    const compare = async (records: readonly OracleRecord[], queries: readonly OracleQuery[]) => {
      assertLikeOracle([...(await enginesOn(store.db)), ...(await enginesOn(other.db))], records, queries);
      for (const query of queries) {
        assert.equal(bodyOf((await postgres.find(query)).body), askOracle(records, query).body, JSON.stringify(query));
      }
      for (const query of queries.slice(0, WHOLE_QUERIES)) {
        const { body } = askOracle(records, { ...query, page: 1, pageSize: 1_000_000 });
        const whole = await postgres.readAll(query, async (result) => `${await readData(result)}${result.total}`);
        const { total } = JSON.parse(body).meta;
        assert.equal(whole, `${body.slice(0, body.lastIndexOf('"meta":'))}${total}`, JSON.stringify(query));
      }
      sent += queries.length;
    };
    await fc.assert(
      fc.asyncProperty(scenarios(100), async ({ entities, queries, change, later }) => {
        const stored = await storeWorld(store.db, entities, NOW);
        await storeWorld(other.db, entities, NOW);
        await compare(recordsOf(stored), queries);
        const changed = await changeWorld(store.db, stored, change, NOW + 1_000);
        await changeWorld(other.db, stored, change, NOW + 1_000);
        await compare(recordsOf(changed), later);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    await postgres.close();
    assert.ok(sent >= 200 * RUNS, `only ${sent} queries`);
  });

  test('two threads build the same index as one', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (entities) => {
        for (const { db, database } of [store, other]) {
          await storeWorld(db, entities, NOW);
          assert.deepEqual(await buildIndex(database), await buildIndex(db));
        }
      }),
      { numRuns: runs(1, 10), endOnFailure: true },
    );
  });

  test('all pages of any query, at any page size, contain each match once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(20), fc.integer({ min: 1, max: 100 }), async ({ entities, queries }, pageSize) => {
        const stored = recordsOf(await storeWorld(store.db, entities, NOW));
        for (const engine of await enginesOn(store.db)) {
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
      { numRuns: runs(2, 40), endOnFailure: true },
    );
  });

  async function namesIn(world: readonly WorldEntity[], q: string): Promise<string[]> {
    const stored = recordsOf(await storeWorld(store.db, world, NOW));
    const query = { ...everything, q };
    const engines = await enginesOn(store.db);
    assertLikeOracle(engines, stored, [query]);
    const [engine] = engines;
    const { data } = JSON.parse(bodyOf((engine ?? assert.fail()).find(query).body));
    return data.map(({ canonicalName }: { canonicalName: string }) => canonicalName);
  }

  test('an empty store, and one entity', async () => {
    assert.deepEqual(await namesIn([], ''), []);
    assert.deepEqual(await namesIn([], 'a'), []);
    assert.deepEqual(await namesIn([company('Only One')], 'ly on'), ['Only One']);
  });

  test('names of 1,000 characters, as one word and as many', async () => {
    const oneWord = 'ab'.repeat(500);
    const many = 'abc '.repeat(250).trim();
    assert.deepEqual(await namesIn([company(oneWord, '1'), company(many, '2')], 'ba'.repeat(90)), [oneWord]);
    assert.deepEqual(await namesIn([company(oneWord, '1'), company(many, '2')], many.slice(2, 190)), [many]);
  });

  test('a name of one repeated letter, as long as names can be: every fragment of it is broad', async () => {
    const name = 'a'.repeat(MAX_NAME_LENGTH);
    assert.deepEqual(await namesIn([company(name, '1'), company('aaab', '2')], name.slice(1)), [name]);
  });

  test('empty names sort first and are found by number', async () => {
    assert.deepEqual(await namesIn([company('b', '17'), company('', '18')], ''), ['', 'b']);
    assert.deepEqual(await namesIn([company('b', '17'), company('', '18')], '18'), ['']);
  });

  test('fragments in any script, inside words and across them', async () => {
    const names = ['Нова Компанія', 'Ελληνική Τράπεζα', 'შპს საქართველო', 'شركة البنك', '株式会社 東京', '🏢 🏠 Ltd'];
    const world = names.map((name, at) => company(name, `9${at}9`));
    for (const [q, name] of [
      ['ова ком', names[0]],
      ['ΚΗ ΤΡΑΠ', names[1]],
      ['ს საქ', names[2]],
      ['ة الب', names[3]],
      ['会社 東', names[4]],
      ['🏢 🏠 L', names[5]],
    ] as const) {
      assert.deepEqual(await namesIn(world, q), [name], q);
    }
  });

  test('a lone surrogate finds the replacement character that is stored for it', async () => {
    assert.deepEqual(await namesIn([company('a\ud83cb', '1'), company('ab', '2')], '\ud83c'), ['a\ufffdb']);
  });

  test('entities with the same name are ordered by id', async () => {
    const world = Array.from({ length: 50 }, (_, at) => company('Same', String(at)));
    assert.equal((await namesIn(world, 'same')).length, 50);
  });

  test('fragments of 200 characters, one character, spaces, punctuation, % and _', async () => {
    const long = `${'x'.repeat(150)} ${'y'.repeat(150)}`;
    const world = [company(long, '1'), company('100% _pure_ (uk) & co.', '2-3'), company('plain', '4')];
    assert.deepEqual(await namesIn(world, long.slice(50, 250)), [long]);
    assert.deepEqual(await namesIn(world, 'p'), ['100% _pure_ (uk) & co.', 'plain']);
    assert.equal((await namesIn(world, '   ')).length, 3);
    for (const q of ['%', '_', '&', '.', '%_', '% _', ') &', '-']) {
      assert.deepEqual(await namesIn(world, q), q === '%_' ? [] : ['100% _pure_ (uk) & co.'], q);
    }
  });

  test('fragments of few words, in a world where few fragments are broad', async () => {
    const names = [
      ...Array.from({ length: 1_300 }, (_, at) => `plain ${at}`),
      ...Array.from({ length: 30 }, (_, at) => `omega plain abc${at}`),
      ...['qat', 'qat 1', 'qat 2', 'sqats tqat', 'omega abc', 'omega abd'],
    ];
    const stored = recordsOf(
      await storeWorld(
        store.db,
        names.map((name, at) => company(name, `n${at}`)),
        NOW,
      ),
    );
    // A name with two words that contain the fragment is found once; the word after the last one that matches is not.
    const queries = ['qat', 'mega abc'].map((q) => ({ ...everything, q }));
    assert.deepEqual(
      queries.map((query) => askOracle(stored, query).ids.length),
      [4, 1],
    );
    assertLikeOracle(await enginesOn(store.db), stored, queries);
  });

  test('fragments of one to three characters are found anywhere in a number, also if few or all numbers end with them', async () => {
    const world = [
      ...Array.from({ length: 600 }, (_, at) => company('plain', `${1_000 + at}y`)),
      ...['x', 'wx', 'vwx', 'uvwx', 'tuvwx', 'x-1', '1-xw', 'aax', 'xaa', 'aaxaa', 'q', 'é', 'oéo', '7é'].map(
        (number) => company('plain', number),
      ),
    ];
    const stored = recordsOf(await storeWorld(store.db, world, NOW));
    const texts = [
      'x',
      'wx',
      'vwx',
      'w',
      'aa',
      'aax',
      'xa',
      '1x',
      'q',
      'é',
      'oé',
      '7é',
      'y',
      '5y',
      '59y',
      '99',
      'yy',
      'zz',
    ];
    const queries = texts.map((q) => ({ ...everything, q }));
    for (const query of queries.slice(0, -2)) assert.ok(askOracle(stored, query).ids.length > 0, query.q);
    assertLikeOracle(await enginesOn(store.db), stored, queries);
  });

  test('filters apply to phrases, even if the fragment is also a part of many numbers', async () => {
    const world = [
      ...Array.from({ length: 400 }, (_, at) => company(`plain ${at}`, `ab123-${at}`)),
      // Words with the same edges share a posting list, so that the words of each name have to be checked.
      ...Array.from({ length: 20 }, (_, at) => company(`other ${at}b12 3y`, `m${at}`)),
      company('left out xab12 3y', 'n1'),
      company('wanted xab12 3y', 'n2', { legalForm: { label: 'Ltd' } }),
      company('wanted too', 'ab123-x', { legalForm: { label: 'Ltd' } }),
    ];
    const stored = recordsOf(await storeWorld(store.db, world, NOW));
    const query = { ...everything, q: 'ab12 3', legalForm: 'Ltd' };
    assert.equal(askOracle(stored, query).ids.length, 2);
    assertLikeOracle(await enginesOn(store.db), stored, [query]);
  });

  test('a word too frequent to have its own list is found complete, in part and in phrases', async () => {
    const world = Array.from({ length: 200 }, (_, at) =>
      company(`firm${at % 10} of limited liability ${at}`, `n${at}`),
    );
    for (const q of ['limited', 'imite', 'limited liab', 'of limited l', 'ty 1', 'firm3 of limited liability 13']) {
      assert.ok((await namesIn(world, q)).length > 0, q);
    }
  });
});
