import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/db/db.ts';
import { raiseGeneration } from '../../src/records/imports/store.ts';
import { createPostgresCandidates } from '../../src/search/postgres-match.ts';
import { writeStatement } from '../../src/search/postgres-query.ts';
import type { Search } from '../../src/search/search.ts';
import { runs } from '../harness/depth.ts';
import { askOracle, type OracleQuery, type OracleRecord } from './oracle.ts';
import { ask, NOW, openSearch } from './postgres-search.ts';
import { everything, scenarios } from './world-queries.ts';
import { changeWorld, recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

async function assertLikeOracle(search: Search, records: readonly OracleRecord[], queries: readonly OracleQuery[]) {
  for (const query of queries) assert.equal(await ask(search, query), askOracle(records, query).body);
}

async function assertScenarios(
  db: Db,
  search: Search,
  { worlds, queries: count }: { worlds: number; queries: number },
) {
  const property = fc.asyncProperty(scenarios(count), async ({ entities, queries, change, later }) => {
    const stored = await storeWorld(db, entities, NOW);
    await assertLikeOracle(search, recordsOf(stored), queries);
    const changed = await changeWorld(db, stored, change, NOW + 1_000);
    await assertLikeOracle(search, recordsOf(changed), later);
  });
  await fc.assert(property, {
    numRuns: worlds,
    interruptAfterTimeLimit: runs(60_000, 600_000),
    markInterruptAsFailure: true,
  });
}

describe('search in PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openSearch>>;
  before(async () => {
    opened = await openSearch();
  });
  after(() => opened[Symbol.asyncDispose]());

  async function namesFor(q: string, more: Partial<OracleQuery> = {}): Promise<string[]> {
    const { data } = JSON.parse(await ask(opened.search, { ...everything, q, ...more }));
    return data.map((summary: { canonicalName: string }) => summary.canonicalName);
  }

  test('random queries are answered like the oracle, before and after a re-import', async () => {
    // memory.test.ts compares PostgreSQL with the oracle in the same way.
    await assertScenarios(opened.db, opened.search, { worlds: runs(1, 20), queries: runs(50, 150) });
  });

  test('random queries are answered like the oracle when every possible index is used', async () => {
    // Without this setting, PostgreSQL reads such small tables sequentially.
    await using forced = await openSearch({ utf8: true, arrange: ['ALTER DATABASE SET enable_seqscan = off'] });
    await assertScenarios(forced.db, forced.search, { worlds: runs(2, 20), queries: runs(60, 150) });
  });

  test('random queries are answered like the oracle when ops/partitions.sql has divided the table', async () => {
    const script = readFileSync(new URL('../../ops/partitions.sql', import.meta.url), 'utf8');
    const statements = script
      .replaceAll(/^--.*$/gm, '')
      .trim()
      .split(/;\s*/)
      .filter(Boolean);
    await using partitioned = await openSearch({
      arrange: [...statements, 'ALTER DATABASE SET enable_seqscan = off'],
    });
    await assertScenarios(partitioned.db, partitioned.search, { worlds: runs(1, 10), queries: runs(60, 100) });
  });

  test('fragments shorter than three characters, which have no trigram, find everything', async () => {
    await storeWorld(opened.db, [company('Alfa Beta'), company('X'), company('Ø-7 株', '70'), company('7')], NOW);
    assert.deepEqual(await namesFor('a'), ['Alfa Beta']);
    assert.deepEqual(await namesFor('a b'), ['Alfa Beta']);
    assert.deepEqual(await namesFor('x'), ['X']);
    assert.deepEqual(await namesFor('7'), ['7', 'Ø-7 株']);
    assert.deepEqual(await namesFor('株'), ['Ø-7 株']);
    assert.deepEqual(await namesFor('-'), ['Ø-7 株']);
    assert.deepEqual(await namesFor('70'), ['Ø-7 株']);
  });

  test('%, _ and \\ are matched literally', async () => {
    await storeWorld(opened.db, [company('100% Wool', '1'), company('a_b limited', '2'), company('C:\\dos', '3')], NOW);
    assert.deepEqual(await namesFor('%'), ['100% Wool']);
    assert.deepEqual(await namesFor('100% wool'), ['100% Wool']);
    assert.deepEqual(await namesFor('100%l'), []);
    assert.deepEqual(await namesFor('_'), ['a_b limited']);
    assert.deepEqual(await namesFor('a_b lim'), ['a_b limited']);
    assert.deepEqual(await namesFor('a_b_lim'), []);
    assert.deepEqual(await namesFor('\\'), ['C:\\dos']);
    assert.deepEqual(await namesFor('c:\\dos'), ['C:\\dos']);
    assert.deepEqual(await namesFor('c:\\\\dos'), []);
    assert.deepEqual(await namesFor('dos\\'), []);
  });

  test('a page after the last one is empty and has the same total', async () => {
    await storeWorld(opened.db, [company('a'), company('b'), company('abc')], NOW);
    for (const page of [2, 1_000, 2 ** 31, 2 ** 53 - 1]) {
      for (const q of ['', 'a', 'abc']) {
        const total = { '': 3, a: 2, abc: 1 }[q];
        const expected = `{"data":[],"meta":{"page":${page},"pageSize":100,"pageCount":1,"total":${total}}}`;
        assert.equal(await ask(opened.search, { ...everything, q, page }), expected);
      }
    }
    await storeWorld(opened.db, [], NOW);
    const none = '{"data":[],"meta":{"page":1,"pageSize":100,"pageCount":0,"total":0}}';
    assert.equal(await ask(opened.search, everything), none);
  });

  test('all pages together contain every match once and in order, at any page size', async () => {
    const words = ['Ash', 'ash', 'ÅSH', 'Bo', '🏢', '\uffff', 'zoo & co'];
    const world = Array.from({ length: 53 }, (_, at) => company(words[at % words.length] as string, `n${at}`));
    const records = recordsOf(await storeWorld(opened.db, world, NOW));
    for (const q of ['', 'o', 'ash', 'n1']) {
      const { total, ids } = askOracle(records, { ...everything, q });
      for (const pageSize of [1, 2, 7, 52, 53, 100]) {
        const walked: string[] = [];
        for (let page = 1; page <= Math.ceil(total / pageSize); page++) {
          const { data, meta } = JSON.parse(await ask(opened.search, { ...everything, q, page, pageSize }));
          assert.equal(meta.total, total);
          walked.push(...data.map((summary: { id: string }) => summary.id));
        }
        assert.deepEqual(walked, ids);
      }
    }
  });

  test('a name too long for a B-tree is stored, found and in order', async () => {
    const long = randomBytes(4_000).toString('hex');
    const number = randomBytes(3_000).toString('hex');
    const world = [company(`m ${long}`, '1'), company('mm', number), company('a', '2'), company('z', '3')];
    await storeWorld(opened.db, world, NOW);
    assert.deepEqual(await namesFor(''), ['a', `m ${long}`, 'mm', 'z']);
    assert.deepEqual(await namesFor(long.slice(7_000, 7_200)), [`m ${long}`]);
    assert.deepEqual(await namesFor(number.slice(5_000, 5_200)), ['mm']);
    assert.deepEqual(await namesFor('m', { pageSize: 1, page: 2 }), ['mm']);
  });

  test('the version changes with the generation, and a reply carries it', async () => {
    const { db, search } = opened;
    await storeWorld(db, [company('a')], NOW);
    const first = await search.version();
    assert.equal((await search.find(everything)).version, first);
    await raiseGeneration(db, NOW + 1);
    const second = await search.version();
    assert.notEqual(second, first);
    assert.equal((await search.find({ ...everything, q: 'nothing' })).version, second);
  });

  test('rare fragments and activities use an index; common or short fragments and pages are read in order', async () => {
    await using large = await openSearch();
    await large.db.run(`INSERT INTO entities (id, name_key, canonical_name, country_code, status, legal_form, legal_form_code,
        updated_at, number_keys, activity_keys, register, file_id, place, content_hash, registrations, registry, source_data)
      SELECT md5(n::text), 'name ' || n || ' limited', 'Name ' || n || ' limited', 'GB', 'active', 'f' || n % 50, 'c' || n % 50,
        1, n::text, 'u' || n % 1000, 'gb', 1, 1, '', repeat('[]', 300), '{}', '{}'
      FROM generate_series(1, 20000) AS n`);
    await large.db.run('VACUUM ANALYZE entities');
    const plan = async (query: Partial<OracleQuery>) => {
      const { sql, params } = writeStatement({ ...everything, pageSize: 25, ...query });
      return (await large.db.all(`EXPLAIN (COSTS OFF) ${sql}`, params)).map((row) => row['QUERY PLAN']).join('\n');
    };
    assert.match(await plan({ q: 'name 17777' }), /Bitmap Index Scan on entities_name_trigrams/);
    assert.match(await plan({ q: '17777' }), /Bitmap Index Scan on entities_number_trigrams/);
    assert.match(await plan({ activity: '7' }), /Bitmap Index Scan on entities_activities/);
    assert.match(await plan({ q: 'limited' }), /Index Only Scan using entities_in_order/);
    assert.match(await plan({ q: 'li' }), /Merge Append.*Index Only Scan using entities_in_order/s);
    assert.match(await plan({}), /Merge Append.*Index Only Scan using entities_in_order/s);
    assert.match(await plan({ page: 400 }), /Merge Append.*Index Only Scan using entities_in_order/s);
    assert.match(await plan({ legalForm: 'f7' }), /Merge Append.*Index Only Scan using entities_form_in_order/s);
    assert.match(
      await plan({ legalFormCode: 'c7' }),
      /Merge Append.*Index Only Scan using entities_form_code_in_order/s,
    );
    assert.match(
      await plan({ status: 'active', register: 'gb' }),
      /Merge Append.*Index Only Scan using entities_in_order/s,
    );
    assert.match(await plan({ sort: '-registeredAt' }), /Index Only Scan using entities_registered_in_order/);
    assert.match(await plan({ sort: '-updatedAt', country: 'GB' }), /Index Only Scan using entities_updated_in_order/);
    assert.match(await plan({ registeredFrom: '2020-01-01' }), /Index Only Scan using entities_registered_in_order/);
    assert.match(await plan({ country: 'GB' }), /Merge Append.*Index Only Scan using entities_(country_)?in_order/s);

    // Candidates of a match: the companies of the same name are counted for each, and a look-up by trigrams takes 200 times as long.
    const plans: string[] = [];
    const candidates = createPostgresCandidates(large.db, async (sql, params) => {
      const rows = await large.db.all(`EXPLAIN (COSTS OFF) ${sql}`, params);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return [];
    });
    const asked = { words: ['name', '17777'], joined: [], numbers: [], limit: 60 };
    for (const country of [undefined, 'GB'])
      await candidates.find({ ...asked, country }, { account: '', deadline: Number.POSITIVE_INFINITY });
    assert.equal(plans.length, 2);
    for (const one of plans) assert.match(one, /Index Only Scan using entities_(country_)?in_order on entities same/);
  });
});
