import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import '../harness/impatient.ts';
import { Failure } from '../../src/core/errors.ts';
import { openStore } from '../../src/db/open.ts';
import { raiseGeneration } from '../../src/records/imports/store.ts';
import { createPostgresSearch } from '../../src/search/postgres.ts';
import { createPostgresCandidates } from '../../src/search/postgres-match.ts';
import { writeStatement } from '../../src/search/postgres-query.ts';
import type { Search } from '../../src/search/search.ts';
import { useHeldService } from '../harness/held-service.ts';
import { until } from '../harness/until.ts';
import { askOracle, type OracleQuery, type OracleRecord } from './oracle.ts';
import { ask, openSearch, silent } from './postgres-search.ts';
import { readData } from './whole.ts';
import { everything, scenarios } from './world-queries.ts';
import { changeWorld, NOW, recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

const WHOLE_QUERIES = 20;

async function assertLikeOracle(search: Search, records: readonly OracleRecord[], queries: readonly OracleQuery[]) {
  for (const query of queries)
    assert.equal(await ask(search, query), askOracle(records, query).body, JSON.stringify(query));
  for (const query of queries.slice(0, WHOLE_QUERIES)) {
    const { body, total } = askOracle(records, { ...query, page: 1, pageSize: 1_000_000 });
    const whole = await search.readAll(query, async (result) => `${await readData(result)}${result.total}`);
    assert.equal(whole, `${body.slice(0, body.lastIndexOf('"meta":'))}${total}`, JSON.stringify(query));
  }
}

describe('search in PostgreSQL', () => {
  // Without the setting, PostgreSQL reads such small tables sequentially.
  const USE_INDEXES = 'ALTER DATABASE SET enable_seqscan = off';
  const script = readFileSync(new URL('../../ops/partitions.sql', import.meta.url), 'utf8');
  const partitions = script
    .replaceAll(/^--.*$/gm, '')
    .trim()
    .split(/;\s*/)
    .filter(Boolean);
  for (const [when, options] of [
    ['in the locale C', {}],
    ['when every possible index is used', { utf8: true, arrange: [USE_INDEXES] }],
    ['when ops/partitions.sql has divided the table', { arrange: [...partitions, USE_INDEXES] }],
  ] as const) {
    test(`random queries are answered like the oracle, before and after a re-import, ${when}`, async () => {
      await using opened = await openSearch(options);
      await fc.assert(
        fc.asyncProperty(scenarios(100), async ({ entities, queries, change, later }) => {
          const stored = await storeWorld(opened.db, entities, NOW);
          await assertLikeOracle(opened.search, recordsOf(stored), queries);
          const changed = await changeWorld(opened.db, stored, change, NOW + 1_000);
          await assertLikeOracle(opened.search, recordsOf(changed), later);
        }),
        { numRuns: 5 },
      );
    });
  }

  test('a name too long for a B-tree is stored, found and in order', async () => {
    await using opened = await openSearch();
    const namesFor = async (q: string, more: Partial<OracleQuery> = {}) => {
      const { data } = JSON.parse(await ask(opened.search, { ...everything, q, ...more }));
      return data.map((summary: { canonicalName: string }) => summary.canonicalName);
    };
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
    await using opened = await openSearch();
    const { db, search } = opened;
    await storeWorld(db, [company('a')], NOW);
    const first = await search.version();
    assert.equal((await search.find(everything)).version, first);
    await raiseGeneration(db, NOW + 1);
    const second = await search.version();
    assert.notEqual(second, first);
    assert.equal((await search.find({ ...everything, q: 'nothing' })).version, second);
  });

  test('only a part of a long fragment is looked up in the index of trigrams, wherever its first letters are', () => {
    for (const q of ['abc '.repeat(1_000), `${'. '.repeat(1_000)}abcdef`, '𠮷'.repeat(2_000)]) {
      const { sql, params } = writeStatement({ ...everything, q });
      const patterns = [...sql.matchAll(/LIKE \$(\d+)/g)].map(([, at]) => String(params[Number(at) - 1]));
      assert.ok(patterns.length > 0);
      for (const pattern of patterns) {
        assert.ok([...pattern].length <= 202, `${[...pattern].length} characters`);
        assert.match(pattern, /[\p{L}\p{N}]{3}/u);
        assert.ok(pattern.isWellFormed());
      }
    }
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

describe('preparing search in PostgreSQL', () => {
  test('search and its version are unavailable until the indexes exist', async () => {
    await using opened = await openSearch({ unprepared: true });
    assert.equal(opened.search.isReady(), false);
    const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';
    await assert.rejects(async () => opened.search.find(everything), unavailable);
    await assert.rejects(async () => opened.search.version(), unavailable);
    await opened.search.refresh();
    assert.equal(opened.search.isReady(), true);
    await opened.search.find(everything);
  });

  test('several processes that start together create one set of indexes', async () => {
    await using opened = await openSearch({ unprepared: true });
    const others = [1, 2, 3].map(() => openStore('registry', opened.database));
    const engines = [opened.db, ...others].map((db) => createPostgresSearch(db, silent));
    await Promise.all(engines.map((engine) => engine.refresh()));
    for (const engine of engines) assert.equal(engine.isReady(), true);
    const indexes = await opened.db.all("SELECT indexname FROM pg_indexes WHERE tablename = 'entities'");
    // Fourteen for search; the registry has its primary key and one by register.
    assert.equal(indexes.length, 16);
    for (const engine of engines) await engine.close();
    for (const db of others) await db.close();
  });

  test('a store that is too large for this engine is reported, a smaller one is not', async () => {
    await using opened = await openSearch({ unprepared: true });
    const warn: unknown[] = [];
    const search = createPostgresSearch(opened.db, {
      ...silent,
      warn: (fields: object | string) => void warn.push(fields),
    });
    const hold = (register: string) =>
      opened.db.run('INSERT INTO holdings (register, entities, generation, imported_at) VALUES ($1, 1000000, 1, 1)', [
        register,
      ]);
    await hold('gb');
    await search.refresh();
    assert.deepEqual(warn, []);
    await hold('fr');
    await search.refresh();
    assert.deepEqual(warn, [{ entities: 2_000_000 }]);
    await search.close();
  });

  test('a role that may not create indexes gets an error with advice; a read-only role can search once they exist', async () => {
    const role = `reader_${randomBytes(4).toString('hex')}`;
    await using opened = await openSearch({ unprepared: true });
    await opened.db.run(`CREATE ROLE ${role} LOGIN`);
    await opened.db.run(`GRANT USAGE ON SCHEMA registry TO ${role}`);
    await opened.db.run(`GRANT SELECT ON ALL TABLES IN SCHEMA registry TO ${role}`);
    const url = (opened.database.databaseUrl ?? '').replace('postgres@', `${role}@`);
    const db = openStore('registry', { ...opened.database, databaseUrl: url });
    const search = createPostgresSearch(db, silent);
    await assert.rejects(search.refresh(), /permission denied.*: have an administrator run CREATE EXTENSION pg_trgm$/);
    await opened.db.run('CREATE EXTENSION pg_trgm');
    await assert.rejects(
      search.refresh(),
      /must be owner of table entities: start once as the role that owns the tables$/,
    );
    await opened.search.refresh();
    await search.refresh();
    assert.equal(JSON.parse(await ask(search, everything)).meta.total, 0);
    await db.close();
    await opened.db.run(`DROP OWNED BY ${role}`);
    await opened.db.run(`DROP ROLE ${role}`);
  });
});

/** Only the searches of the attacker have this filter, so that only they are held. */
const SLOW = '/api/v1/entities?activity=62012';
const SLOW_STATEMENT = /&& ARRAY/;
const SIMPLE = '/api/v1/entities?q=alpha';
/** A quarter of ten connections. */
const PER_ACCOUNT = 2;

describe('SEARCH_ENGINE=postgres: searches that do not end', () => {
  const started = useHeldService();

  test('one account with 100 of them in flight, in the API and on pages, keeps two connections; others are answered', async () => {
    const { held, service } = started();
    const attacker = await service.signIn();
    const { accountId } = attacker.account;
    const { secret } = await service.services.apiKeys.create(accountId, 'attack');
    const other = { headers: { 'x-api-key': await service.createKey() } };
    const release = held.hold(SLOW_STATEMENT);
    const attack = Array.from({ length: 100 }, (_, index) =>
      index % 4 === 0
        ? fetch(`${service.url}/explore?activity=62012`, { headers: { cookie: attacker.headers.cookie ?? '' } })
        : fetch(service.url + SLOW, { headers: { 'x-api-key': secret } }),
    );
    const ended = Promise.all(attack.map(async (reply) => (await reply).status));
    await until('the bound is reached', () => held.peak() >= PER_ACCOUNT);
    await until('another account is answered', async () => (await service.client.get(SIMPLE, other)).status === 200);
    const statuses = await ended;
    // The next search may start just before the connection of the previous one is closed.
    assert.ok(held.peak() <= 2 * PER_ACCOUNT, `${held.peak()} searches of one account ran at the same time`);
    release();
    assert.deepEqual(new Set(statuses), new Set([503]));
    const readUsed = async () => {
      const sql = 'SELECT used FROM quotas WHERE account_id = $1';
      return (await service.services.accountsDb.one<{ used: number }>(sql, [accountId]))?.used;
    };
    await until('nothing is charged', async () => (await readUsed()) === 0);
    const headers = { 'x-api-key': secret };
    await until(
      'the account is answered again',
      async () => (await service.client.get(SLOW, { headers })).status === 200,
    );
  });

  test('the server stops a search at the deadline of its request, and the connection is used again', async () => {
    const { service, database } = started();
    const admin = new pg.Client({ connectionString: database.databaseUrl });
    await admin.connect();
    const list = async (condition: string) => {
      const sql = `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'firmament registry' AND ${condition} ORDER BY pid`;
      return (await admin.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid);
    };
    /** Returns whether the server has stopped the search before the request timed out, and all connections are kept. */
    async function searchLocked(): Promise<boolean> {
      await until('search answers', async () => (await service.client.get(SIMPLE)).status === 200);
      const before = await list('true');
      await admin.query('BEGIN; LOCK TABLE registry.entities IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await service.client.get(SIMPLE);
      assert.equal(status, 503);
      const isLocked = "query LIKE '%matching%' AND wait_event_type = 'Lock'";
      await until('it is stopped', async () => (await list(isLocked)).length === 0);
      await admin.query('ROLLBACK');
      const now = new Set(await list('true'));
      return /takes too long/.test(body.error.message) && before.every((pid) => now.has(pid));
    }
    try {
      // On a busy machine, the time-out of the client may be noticed before the answer of the server.
      let isKept = false;
      for (let tries = 0; tries < 5 && !isKept; tries++) isKept = await searchLocked();
      assert.ok(isKept, 'the search is not stopped in time, or connections are dropped');
    } finally {
      await admin.end();
    }
  });
});
