import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../src/core/clock.ts';
import { createCopyOf } from './harness/base-backup.ts';
import { createDatabase, type TestDatabase } from './harness/databases.ts';
import { type Office, openOffice, type TestAccount, type Used } from './harness/keys.ts';
import { startTraffic, tally } from './harness/load.ts';
import { createPostgresServer, type PostgresServer } from './harness/postgres-server.ts';
import { run, startServer } from './harness/process.ts';
import { startService } from './harness/service.ts';
import { until } from './harness/until.ts';
import { company, writeGb } from './registry/gb-file.ts';

/** Backups are made while the service runs under load, and restored to an empty folder or server. */
const ROWS = 2_000;

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function envOf({ dataDir, databaseUrl }: TestDatabase): Record<string, string> {
  return { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
}

async function importRound(database: TestDatabase, folder: string, round: number): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, at) =>
    company(String(at + 1).padStart(8, '0'), `HOLDINGS ${at} ROUND ${round} LTD`),
  );
  const ended = await run(['import', 'gb', writeGb(folder, `${round}.csv`, rows), '--partial'], envOf(database));
  assert.equal(ended.code, 0, ended.stderr);
}

/** Starts a server on a database with one account and the companies of round 1. */
async function startWithData(t: TestContext, database: TestDatabase, folder: string) {
  const office = openOffice(database);
  const account = await office.createAccount({ keys: 4 });
  await importRound(database, folder, 1);
  const server = await startServer(database);
  t.after(async () => {
    server.kill('SIGKILL');
    await server.ended;
    await office[Symbol.asyncDispose]();
  });
  return { office, account, server };
}

/** Everything a client can see, as text. The account comes first, because data requests change its usage. */
async function readAnswers(url: string, { keys, cookie }: TestAccount): Promise<string[]> {
  const ask = async (path: string, headers: Record<string, string>) => {
    const reply = await fetch(`${url}/api/v1${path}`, { headers });
    return `${path} ${reply.status} ${await reply.text()}`;
  };
  const withKey = (path: string) => ask(path, { 'x-api-key': keys[0] ?? '' });
  const answers = [
    await ask('/account', { cookie }),
    await ask('/auth/me', { cookie }),
    await ask('/api-keys', { cookie }),
  ];
  for (const path of ['/entities?q=holdings&page=3', '/entities?q=round%201&pageSize=100', '/countries']) {
    answers.push(await withKey(path));
  }
  const ids = [...(answers[3] ?? '').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  assert.ok(ids.length > 0);
  for (const id of ids) answers.push(await withKey(`/entities/${id}`));
  return answers;
}

/** Makes a backup during traffic and an import; returns the usage before and after it. */
async function backUpUnderLoad(
  server: { url: string },
  office: Office,
  account: TestAccount,
  write: () => Promise<void>,
  backUp: () => Promise<void>,
): Promise<{ before: Used; after: Used }> {
  const traffic = startTraffic({ urls: [server.url], keys: account.keys, callers: 8, pauseMs: 15 });
  const readUsed = () => office.readUsed(account.accountId);
  await until('the traffic is charged', async () => (await readUsed()).quota > 0);
  const writing = write();
  const before = await readUsed();
  await backUp();
  const atEnd = await readUsed();
  await until('more traffic is charged', async () => (await readUsed()).quota > atEnd.quota);
  const after = await readUsed();
  await writing;
  const answers = await traffic.stop();
  assert.deepEqual(tally(answers), { 200: answers.length });
  assert.ok(after.quota > before.quota, 'nothing was written during the backup');
  return { before, after };
}

/** Checks that the copy is complete and from one moment between the two readings. */
async function checkMoment(copy: TestDatabase, account: TestAccount, { before, after }: { before: Used; after: Used }) {
  await using office = openOffice(copy);
  const used = await office.readUsed(account.accountId);
  assert.equal(used.quota, used.daily, 'the copy contains a partial charge');
  assert.ok(used.quota >= before.quota && used.quota <= after.quota, `${before.quota} ${used.quota} ${after.quota}`);
}

/** What a service answers that starts with a copy. */
async function serveCopy(copy: TestDatabase, account: TestAccount): Promise<string[]> {
  const database = { ...copy, remove: async () => undefined };
  await using service = await startService(copy.engine, { database, localClock: systemClock });
  return await readAnswers(service.url, account);
}

describe('backup and restore on SQLite', () => {
  test('"firmament backup" under load delays no request, and its copy is consistent', async (t) => {
    const database = await createDatabase('sqlite');
    const folder = createFolder(t);
    const { office, account, server } = await startWithData(t, database, folder);
    t.after(() => database.remove());
    const backUp = async (target: string) => {
      const ended = await run(['backup', target], envOf(database));
      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      assert.match(ended.stdout, /accounts\.db .*\d bytes\nregistry\.db .*\d bytes\nBacked up to /);
    };

    const copy = { ...database, dataDir: join(folder, 'under-load') };
    const write = () => importRound(database, folder, 2);
    const moment = await backUpUnderLoad(server, office, account, write, () => backUp(copy.dataDir));
    for (const name of ['accounts.db', 'registry.db']) {
      const opened = new DatabaseSync(join(copy.dataDir, name));
      assert.deepEqual({ ...opened.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
      opened.close();
    }
    await checkMoment(copy, account, moment);

    // Another one without load, to compare every byte.
    await untilServed(server.url, account, 'ROUND 2');
    await office.settle(account.accountId);
    const quiet = { ...database, dataDir: join(folder, 'quiet') };
    await backUp(quiet.dataDir);
    const expected = await readAnswers(server.url, account);
    assert.deepEqual(await serveCopy(quiet, account), expected);
  });
});

describe('backup and restore on PostgreSQL', () => {
  test('a base backup under load, restored to a new server, is consistent', async (t) => {
    const original = await createPostgresServer();
    const folder = createFolder(t);
    t.after(() => original.destroy());
    const describeDatabase = (name: string, databaseUrl: string): TestDatabase => {
      mkdirSync(join(folder, name));
      return { engine: 'postgres', dataDir: join(folder, name), databaseUrl, remove: async () => undefined };
    };
    const database = describeDatabase('original', original.url);
    const { office, account, server } = await startWithData(t, database, folder);

    let copy: PostgresServer | undefined;
    t.after(() => copy?.destroy());
    const write = () => importRound(database, folder, 2);
    const moment = await backUpUnderLoad(server, office, account, write, async () => {
      copy = await createCopyOf(original);
    });
    await checkMoment(describeDatabase('under-load', copy?.url ?? ''), account, moment);

    await untilServed(server.url, account, 'ROUND 2');
    await office.settle(account.accountId);
    const quiet = await createCopyOf(original);
    t.after(() => quiet.destroy());
    const expected = await readAnswers(server.url, account);
    assert.deepEqual(await serveCopy(describeDatabase('quiet', quiet.url), account), expected);
  });
});

/** Search serves an import a moment after it was published. */
function untilServed(url: string, { keys }: TestAccount, text: string): Promise<void> {
  return until(`search finds ${text}`, async () => {
    const reply = await fetch(`${url}/api/v1/entities?q=holdings`, { headers: { 'x-api-key': keys[1] ?? '' } });
    return (await reply.text()).includes(text);
  });
}
