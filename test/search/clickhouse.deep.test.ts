import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createLease } from '../../src/base/db/lease.ts';
import { findVersion } from '../../src/base/db/version.ts';
import { openConnection } from '../../src/search/clickhouse/connection.ts';
import { LAYOUT } from '../../src/search/clickhouse/schema.ts';
import { run } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { importRows, type Opened, openSearch } from '../scale/clickhouse-search.ts';
import { createCertificate } from '../webhooks/certificate.ts';
import { makeCompanies } from './following.ts';
import { type ImitatedClickhouse, imitateClickhouse, type Misbehaviour } from './imitated-clickhouse.ts';
import { everything } from './world-queries.ts';

/** What ClickHouse 18.16 answers, the version that Debian ships. */
const UNKNOWN_FORMAT = { code: 73, message: 'Unknown format JSONCompactEachRow' };
const DISK_FULL: Misbehaviour = { code: 243, message: 'Cannot reserve 1.00 MiB, not enough space' };
const isInsert = (sql: string) => sql.startsWith('INSERT');
const causeOf = (pattern: RegExp) => (error: Error) => pattern.test(String(error.cause));

/** Every entity of the store is found once, at the version of the store. */
async function assertComplete(node: ImitatedClickhouse, { search, registryDb }: Opened): Promise<void> {
  const { build, publication, skipped, version, entities } = (await search.readPublished()) ?? assert.fail();
  const stored = await registryDb.all<{ id: string }>('SELECT id FROM entities ORDER BY id');
  assert.deepEqual(
    node.list(build, publication, skipped).sort(),
    stored.map(({ id }) => id),
  );
  assert.deepEqual([version, entities], [await findVersion(registryDb), stored.length]);
}

/** A server that answers as ClickHouse does, and search in it with so many companies published. */
async function start(companies = 40) {
  const node = await imitateClickhouse();
  const opened = await openSearch(node);
  await importRows(opened, makeCompanies(1, companies, 0));
  await opened.search.refresh();
  return {
    node,
    opened,
    search: opened.search,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

/** Connections and errors, with a server that answers as ClickHouse does. Real nodes: `npm run test:scale`. */
describe('search in ClickHouse, when something fails', () => {
  test('a wrong password and an old version are reported without the password', async () => {
    await using node = await imitateClickhouse();
    await using opened = await openSearch(node);
    node.misbehave = () => ({ code: 516, message: 'firmament: Authentication failed: hunter2' });
    for (const attempt of [() => opened.search.refresh(), () => opened.search.prepare()])
      await assert.rejects(attempt, (error: Error) => {
        assert.match(String(error.cause), /refused the user name or password/);
        return !/hunter2/.test(JSON.stringify([String(error), String(error.cause)]));
      });
    node.misbehave = () => undefined;
    node.version = '26.6.9.1';
    for (const attempt of [() => opened.search.refresh(), () => opened.search.prepare()])
      await assert.rejects(attempt, causeOf(/ClickHouse 26\.6\.9\.1 is too old: upgrade to 26\.7 or newer/));
    node.version = '18.16.1';
    node.misbehave = (sql) => (sql.endsWith('FORMAT TabSeparated') ? undefined : UNKNOWN_FORMAT);
    await assert.rejects(() => opened.search.prepare(), causeOf(/ClickHouse 18\.16\.1 is too old/));
    node.misbehave = () => undefined;
    node.version = '27.1.1.1';
    await opened.search.refresh();
  });

  test('a full disk: what is published stays, attempts become rare, and the changes are there afterwards', async () => {
    await using started = await start();
    const { node, opened, search } = started;
    const published = await search.readPublished();
    await importRows(opened, makeCompanies(20, 30, 1));
    node.misbehave = (sql) => (isInsert(sql) ? DISK_FULL : undefined);
    search.start();
    await until('two attempts have failed', () => node.statements.filter(isInsert).length > 2);
    const checks = () => node.statements.filter((sql) => /^SELECT version\(\)/.test(sql)).length;
    const [inserts, checked] = [node.statements.filter(isInsert).length, checks()];
    await until('many checks later', () => checks() > checked + 20);
    assert.ok(node.statements.filter(isInsert).length < inserts + 10, 'a publication is repeated at every check');
    assert.deepEqual(await search.readPublished(), published);
    assert.equal(search.version(), published?.version, 'searches continue');
    assert.equal(search.readFigures?.()?.behind, 1);
    node.misbehave = () => undefined;
    await until('the changes are published', () => search.readFigures?.()?.behind === 0);
    assert.ok(((await search.readPublished())?.skipped.length ?? 0) >= 2);
    await assertComplete(node, opened);
  });

  test('a build that fails leaves a table, which the next attempt removes before it writes', async () => {
    await using node = await imitateClickhouse();
    await using opened = await openSearch(node);
    await importRows(opened, makeCompanies(1, 40, 0));
    node.misbehave = (sql) => (isInsert(sql) ? DISK_FULL : undefined);
    await assert.rejects(opened.search.refresh(), causeOf(/not enough space/));
    const [left = ''] = node.tables.keys();
    node.misbehave = (sql) => (isInsert(sql) && node.tables.has(left) ? DISK_FULL : undefined);
    await opened.search.refresh();
    assert.equal(node.tables.size, 1);
    await opened.search.rebuild(() => undefined);
    assert.equal(node.tables.size, 2, 'the previous table is kept for searches that read it');
    await opened.search.rebuild(() => undefined);
    assert.equal(node.tables.size, 2);
    await assertComplete(node, opened);
  });

  test('an insert whose answer is lost is not sent again under the same number', async () => {
    await using started = await start();
    const { node, opened } = started;
    await importRows(opened, makeCompanies(20, 30, 1));
    node.misbehave = (sql) => (isInsert(sql) ? 'hang up' : undefined);
    const inserts = node.statements.filter(isInsert).length;
    await assert.rejects(opened.search.refresh(), /cannot be reached/);
    assert.equal(node.statements.filter(isInsert).length, inserts + 1);
    node.misbehave = () => undefined;
    await opened.search.refresh();
    await assertComplete(node, opened);
  });

  for (const [what, misbehaviour] of [
    ['a node says', undefined],
    [
      'another node says',
      { code: 279, message: 'All connection tries failed. There is no table `a`.`b` on server: n2' },
    ],
  ] as const) {
    test(`a table is lost, as ${what}: the publishing server builds it again, others wait`, async () => {
      await using started = await start();
      const { node, opened } = started;
      const { build } = (await opened.search.readPublished()) ?? assert.fail();
      if (misbehaviour === undefined) node.tables.clear();
      else node.misbehave = (sql) => (new RegExp(`_${build}\\b`).test(sql) ? misbehaviour : undefined);
      const other = opened.open({ publishes: false });
      await assert.rejects(other.refresh(), /cannot be reached/);
      await opened.search.refresh();
      node.misbehave = () => undefined;
      await other.refresh();
      await assertComplete(node, opened);
    });
  }

  test('a table with fewer rows than were published is not searched, and is built again', async () => {
    await using started = await start();
    const { node, opened } = started;
    for (const rows of node.tables.values()) rows.splice(5, 1);
    await assert.rejects(opened.open({ publishes: false }).refresh(), causeOf(/only 39 of 40 rows/));
    await opened.search.refresh();
    await assertComplete(node, opened);
  });

  test('while ClickHouse cannot be reached, the version is refused and the distance grows', async () => {
    await using started = await start();
    const { node, opened, search } = started;
    search.start();
    const before = await search.readPublished();
    node.misbehave = () => 'hang up';
    for (const at of [1, 2]) await importRows(opened, makeCompanies(1 + at, 5, at));
    await until('both imports are missing', () => search.readFigures?.()?.behind === 2);
    assert.throws(() => search.version(), /cannot be reached/);
    assert.deepEqual(await search.readPublished(), before);
    node.misbehave = () => undefined;
    await until('both imports are published', () => search.readFigures?.()?.behind === 0);
    assert.equal(search.version(), await findVersion(opened.registryDb));
    await assertComplete(node, opened);
  });

  test('only the server with the lease publishes', async () => {
    await using started = await start();
    const { node, opened } = started;
    const published = await opened.search.readPublished();
    const lease = createLease({ db: opened.accountsDb, name: `search index ${LAYOUT}` });
    await lease.hold(async () => {
      assert.equal(await opened.search.rebuild(() => undefined), false);
      await importRows(opened, makeCompanies(20, 30, 1));
      await opened.search.refresh();
      assert.deepEqual(await opened.search.readPublished(), published);
    });
    await opened.search.refresh();
    await assertComplete(node, opened);
  });

  test('a server that lost its lease before the last step does not replace what another one has published', async () => {
    await using started = await start();
    const { node, opened } = started;
    await importRows(opened, makeCompanies(20, 30, 1));
    const slow = opened.open({
      async beforePublish() {
        // As if its lease had expired.
        await opened.accountsDb.run('UPDATE leases SET expires_at = 0');
        await opened.search.refresh();
      },
    });
    await slow.refresh();
    const { skipped } = (await opened.search.readPublished()) ?? assert.fail();
    assert.equal(skipped.length, 1, 'the rows of the slow one are not searched');
    await assertComplete(node, opened);
  });

  test('a search that a node does not answer until its deadline is stopped with a reason', async () => {
    await using started = await start(5);
    const { node, opened } = started;
    node.misbehave = () => 'hang';
    await assert.rejects(
      async () => opened.search.find(everything, '', performance.now() + 400),
      /This search takes too long/,
    );
    node.misbehave = () => ({ code: 159, message: 'Timeout exceeded' });
    await assert.rejects(async () => opened.search.find(everything), /This search takes too long/);
  });

  test('if a node cannot be reached, the next one is asked; an insert only if the first one has not got it', async () => {
    await using node = await imitateClickhouse();
    await using broken = await imitateClickhouse();
    const { hosts } = node.place('x');
    const through = (first: string) => openConnection({ ...node.place('x'), hosts: [first, ...hosts] });
    broken.misbehave = () => 'hang up';
    const [unreachable, unreliable] = [through('http://127.0.0.1:1'), through(broken.place('x').hosts[0] ?? '')];
    try {
      node.tables.set('entities_v1_1', []);
      const { signal } = new AbortController();
      assert.deepEqual(await unreachable.read('SELECT version()'), [['26.7.3.1', 0]]);
      await through('http://127.0.0.1:1').insert('entities_v1_1', '[1]\n', signal);
      assert.deepEqual(node.tables.get('entities_v1_1'), [[1]]);
      await assert.rejects(unreliable.insert('entities_v1_1', '[2]\n', signal), /cannot be reached/);
      assert.deepEqual(node.tables.get('entities_v1_1'), [[1]]);
      assert.deepEqual(await unreliable.read('SELECT version()'), [['26.7.3.1', 0]]);
    } finally {
      await Promise.all([unreachable.close(), unreliable.close()]);
    }
  });

  test('"firmament migrate" checks the nodes; "firmament search-index" builds and describes the index', async () => {
    await using node = await imitateClickhouse();
    await using opened = await openSearch(node);
    await importRows(opened, makeCompanies(1, 40, 0));
    const [host = ''] = node.place('x').hosts;
    const env = {
      DATA_DIR: opened.database.dataDir,
      SEARCH_ENGINE: 'clickhouse',
      CLICKHOUSE_URL: host.replace('//', '//firmament:hunter2@'),
    };
    const firmament = (...args: string[]) => run(args, env);
    node.version = '25.1.1.1';
    const old = await firmament('migrate');
    assert.notEqual(old.code, 0);
    assert.match(old.stderr, /ClickHouse 25\.1\.1\.1 is too old: upgrade to 26\.7 or newer/);
    node.version = '26.7.3.1';
    assert.equal((await firmament('migrate')).code, 0);
    assert.ok(node.statements.includes('CREATE DATABASE IF NOT EXISTS firmament'));
    const empty = await firmament('search-index');
    assert.deepEqual([empty.code, empty.stdout.slice(0, 21)], [0, 'Nothing is published:']);
    const rebuilt = await firmament('search-index', '--rebuild');
    assert.equal(rebuilt.code, 0, rebuilt.stderr);
    assert.match(rebuilt.stdout, /^Version \S+: 40 companies in 40 rows\.$/m);
    const table = node.statements.find((sql) => sql.startsWith('CREATE TABLE')) ?? '';
    const fast =
      /INDEX activities activity_keys .*INDEX industries isic_codes .*index_granularity = 1024, text_index_posting_list_block_size = 1000000000/s;
    assert.match(table, fast, 'otherwise these filters read every row, and rare and common words take longer');
    await assertComplete(node, opened);
    const lease = createLease({ db: opened.accountsDb, name: `search index ${LAYOUT}` });
    await lease.hold(async () => {
      const busy = await firmament('search-index', '--rebuild');
      assert.match(busy.stderr, /Another server is publishing/);
      assert.notEqual(busy.code, 0);
    });
    const without = await run(['search-index'], { DATA_DIR: opened.database.dataDir });
    assert.match(without.stderr, /only kept with SEARCH_ENGINE=clickhouse/);
  });

  test('over https, the certificate of a node is checked, also with a private authority', async () => {
    const tls = createCertificate(['localhost']);
    await using node = await imitateClickhouse(tls);
    await using opened = await openSearch(node);
    await importRows(opened, makeCompanies(1, 5, 0));
    const authority = join(opened.database.dataDir, 'authority.pem');
    writeFileSync(authority, tls.cert);
    const [host = ''] = node.place('x').hosts;
    const rebuild = (more: object) =>
      run(['search-index', '--rebuild'], {
        ...{ DATA_DIR: opened.database.dataDir, SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL: host },
        // In a process of its own: Node reads the authorities when it starts.
        ...{ NODE_OPTIONS: '', ...more },
      });
    const refused = await rebuild({});
    assert.notEqual(refused.code, 0);
    assert.equal(node.statements.length, 0);
    const accepted = await rebuild({ NODE_EXTRA_CA_CERTS: authority });
    assert.equal(accepted.code, 0, accepted.stderr);
    await assertComplete(node, opened);
  });
});

test('a connection to ClickHouse that is not used is closed long before the node closes it', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('[1]\n')));
  // As ClickHouse: it says so in a header, and undici would keep the connection for 29 s.
  server.keepAliveTimeout = 30_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const place = { hosts: [`http://127.0.0.1:${port}`], user: 'default', password: '', database: 'firmament' };
  const connection = openConnection(place);
  try {
    assert.deepEqual(await connection.read('SELECT 1'), [[1]]);
    assert.equal(open, 1);
    await until('the idle connection is closed', () => open === 0, 20_000);
    assert.deepEqual(await connection.read('SELECT 1'), [[1]]);
  } finally {
    await connection.close();
    server.close();
  }
});
