import assert from 'node:assert/strict';
import pg from 'pg';
import '../harness/impatient.ts';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { type TestDatabase, useServer } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startTraffic, tally } from '../harness/load.ts';
import { createPostgresServer, type PostgresServer } from '../harness/postgres-server.ts';
import { run } from '../harness/process.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

/** A real streaming replica that lags, stops replaying, dies or hangs. */
const UNKNOWN = '00000000-0000-5000-8000-000000000000';
const CALLERS = 8;
const FAILS = 'the replica fails';
const USED_AGAIN = 'the replica is used again';

interface Found {
  readonly id: string;
  readonly canonicalName: string;
}

describe('records from a streaming replica', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let database: TestDatabase;
  let service: TestService;
  before(async () => {
    primary = await createPostgresServer();
    database = useServer(primary);
    const migrated = await run(['migrate'], { DATA_DIR: database.dataDir, DATABASE_URL: primary.url });
    assert.equal(migrated.code, 0, migrated.stderr);
    replica = await createReplicaOf(primary);
    service = await startService('postgres', { database, env: { DATABASE_REPLICA_URL: replica.url } });
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await replica?.destroy();
    await primary?.destroy();
  });
  beforeEach(() => untilUsed());

  /** The part of a tag that is the same at every URL. */
  const versionOf = (headers: Headers) => headers.get('etag')?.replace(/\.[^.]*$/, '') ?? '';

  async function search(q: string): Promise<{ version: string; data: Found[] }> {
    const { status, body, headers } = await service.client.get(`/api/v1/entities?q=${q}`);
    assert.equal(status, 200);
    return { version: versionOf(headers), data: body.data };
  }
  const idOf = async (q: string) => (await search(q)).data[0]?.id ?? '';
  const open = (id: string) => service.client.get(`/api/v1/entities/${id}`);

  async function countReads(outcome: string, of = service): Promise<number> {
    const { text } = await of.services.metrics.render();
    return Number(new RegExp(`registry_replica_reads_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);
  }

  /** Sends requests until the replica answers one. */
  async function untilUsed(): Promise<void> {
    const before = await countReads('used');
    await until('the replica is used', async () => {
      await open(UNKNOWN);
      return (await countReads('used')) > before;
    });
  }

  /** What the log says about the replica, in order. */
  const readTurns = (since: number) =>
    service.logLines.slice(since).flatMap((line) => /the replica (?:fails|is used again)/.exec(line)?.[0] ?? []);

  test('records and 404 come from the replica, byte for byte as from the primary', async () => {
    const ids = [await idOf('alpha'), await idOf('beta')];
    const direct = createRegistry(service.services.registryDb, registers);
    // On a busy machine, a read may take longer than the replica is given.
    await until('all reads are answered by the replica', async () => {
      const used = await countReads('used');
      for (const id of ids) {
        const { status, text } = await open(id);
        assert.equal(status, 200);
        assert.equal(text, (await direct.findEntity(id))?.content);
      }
      assert.equal((await open(UNKNOWN)).status, 404);
      return (await countReads('used')) === used + 3;
    });
  });

  test('a replica that has stopped replaying is not used: records match what search shows', async () => {
    await execute(replica, 'SELECT pg_wal_replay_pause()');
    try {
      await importCompanies(service, [company('00000001', 'ALPHA RENAMED LTD'), company('00000003', 'GAMMA LTD')]);
      const [used, behind] = [await countReads('used'), await countReads('behind')];
      for (const name of ['ALPHA RENAMED LTD', 'GAMMA LTD']) {
        const { version, data } = await search(encodeURIComponent(name));
        const { status, body, headers } = await open(data[0]?.id ?? '');
        assert.deepEqual([status, body.data?.canonicalName, versionOf(headers)], [200, name, version]);
      }
      assert.equal((await open(UNKNOWN)).status, 404);
      // The replica is checked again after a pause; the result must be the same.
      const gamma = await idOf('gamma');
      const checkedAt = await readLastQueryTime(replica);
      await until('the replica is checked again', async () => {
        assert.equal((await open(gamma)).status, 200);
        return (await readLastQueryTime(replica)) > checkedAt;
      });
      assert.equal((await open(gamma)).status, 200);
      assert.equal(await countReads('used'), used);
      assert.ok((await countReads('behind')) <= behind + 1, 'requests keep asking a replica that is behind');
    } finally {
      await execute(replica, 'SELECT pg_wal_replay_resume()');
    }
    await untilUsed();
    assert.equal((await open(await idOf('gamma'))).body.data.canonicalName, 'GAMMA LTD');
  });

  test('it dies under load and restarts: all requests are served, it is logged once and used again', async () => {
    const since = service.logLines.length;
    const paths = [`/api/v1/entities/${await idOf('alpha')}`, `/api/v1/entities/${await idOf('beta')}`];
    const keys = [await service.createKey(), await service.createKey(), await service.createKey()];
    const traffic = startTraffic({ urls: [service.url], paths, keys, callers: CALLERS, pauseMs: 80 });
    const untilMore = async (count: number) => {
      const before = traffic.answers.length;
      await until('requests are answered', () => traffic.answers.length >= before + count);
    };
    await untilMore(2 * CALLERS);
    await replica.stop('immediate');
    await until('it is noticed', () => readTurns(since).at(-1) === FAILS);
    await untilMore(10 * CALLERS);
    await replica.start();
    await untilUsed();
    const answers = await traffic.stop();
    assert.deepEqual(tally(answers), { 200: answers.length });
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    assert.ok(slowest < boundMs(2_000), `the slowest took ${Math.round(slowest)} ms`);
    // Logged once per outage, not once per request; a busy machine may cause a second outage.
    await until('it is used again', () => readTurns(since).at(-1) === USED_AGAIN);
    const turns = readTurns(since);
    for (const [at, turn] of turns.entries()) assert.notEqual(turn, turns[at - 1]);
  });

  test('a database that is not a replica of the primary is never used', async () => {
    await execute(primary, 'CREATE DATABASE stranger');
    const env = { DATABASE_REPLICA_URL: primary.url.replace(/\/\w+$/, '/stranger') };
    const shared = { ...database, [Symbol.asyncDispose]: async () => undefined };
    await using other = await startService('postgres', { database: shared, env });
    const id = await idOf('alpha');
    const readFailures = () => other.logLines.filter((line) => line.includes('the replica fails')).length;
    const read = async () => assert.equal((await other.client.get(`/api/v1/entities/${id}`)).status, 200);
    await until('it is noticed', async () => {
      await read();
      return readFailures() > 0;
    });
    for (let round = 0; round < 20; round++) await read();
    assert.deepEqual([await countReads('used', other), readFailures()], [0, 1]);
  });
});

async function execute(server: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

/** When the last statement of another connection started. */
async function readLastQueryTime(server: PostgresServer): Promise<number> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const others = "backend_type = 'client backend' AND pid <> pg_backend_pid()";
    const { rows } = await client.query(`SELECT max(query_start) AS at FROM pg_stat_activity WHERE ${others}`);
    return Number(rows[0].at ?? 0);
  } finally {
    await client.end();
  }
}

/**
 * Copies a running PostgreSQL with its low-level backup functions: start the backup, copy the files, stop the backup,
 * copy the write-ahead log. `pg_basebackup` does the same, but the embedded binaries do not include it.
 */
async function backUp(server: PostgresServer, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('test', true)");
    copyFolder(server.data, target, EXCLUDED);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeOwnedLike(server.data, join(target, 'backup_label'), rows[0].labelfile);
    copyFolder(join(server.data, 'pg_wal'), join(target, 'pg_wal'));
  } finally {
    await client.end();
  }
}

const EXCLUDED = ['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_replslot'];

/** Starts a streaming replica of the primary. */
function createReplicaOf(primary: PostgresServer): Promise<PostgresServer> {
  const { hostname, port } = new URL(primary.url);
  return createPostgresServer({
    async fill(data) {
      await backUp(primary, data);
      writeOwnedLike(primary.data, join(data, 'standby.signal'), '');
    },
    settings: {
      primary_conninfo: `host=${hostname} port=${port} user=postgres`,
      // Reconnect quickly after a break; the default is five seconds.
      wal_retrieve_retry_interval: '100ms',
    },
  });
}

/**
 * Copies owners and modes too. Files of a running server may disappear during the copy; the write-ahead log restores
 * what they contained.
 */
function copyFolder(from: string, to: string, excluded: readonly string[] = []): void {
  mkdirSync(to, { recursive: true });
  copyOwnership(from, to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (excluded.includes(entry.name)) {
      if (entry.isDirectory()) copyOwnership(source, mkdirSync(target, { recursive: true }) ?? target);
    } else if (entry.isDirectory()) copyFolder(source, target);
    else {
      try {
        copyFileSync(source, target);
        copyOwnership(source, target);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
      }
    }
  }
}

function writeOwnedLike(model: string, file: string, text: string): void {
  writeFileSync(file, text);
  const { uid, gid } = statSync(model);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function copyOwnership(model: string, path: string): void {
  const { uid, gid, mode } = statSync(model);
  chmodSync(path, mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}
