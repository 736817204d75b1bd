import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../src/base/clock.ts';
import { createDatabase } from './harness/databases.ts';
import { openOffice, type TestAccount } from './harness/keys.ts';
import { startTraffic, tally } from './harness/load.ts';
import { run, startServer } from './harness/process.ts';
import { startService } from './harness/service.ts';
import { until } from './harness/until.ts';
import { company, writeGb } from './registry/gb-file.ts';

const COMPANIES = 2_000;

/** Everything a client can see, as text. The account comes first, because data requests change its usage. */
async function readAnswers(url: string, { keys, cookie }: TestAccount): Promise<string[]> {
  const ask = async (path: string, headers: Record<string, string>) => {
    const reply = await fetch(`${url}/api/v1${path}`, { headers });
    return `${path} ${reply.status} ${await reply.text()}`;
  };
  const answers: string[] = [];
  for (const path of ['/account', '/auth/me', '/api-keys']) answers.push(await ask(path, { cookie }));
  const key = { 'x-api-key': keys[0] ?? '' };
  const found = await ask('/entities?q=holdings&page=3', key);
  const ids = [...found.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  assert.ok(ids.length > 0);
  answers.push(found, await ask('/countries', key));
  for (const id of ids) answers.push(await ask(`/entities/${id}`, key));
  return answers;
}

test('"firmament backup" under load delays no request, and its copy is consistent', async (t) => {
  const database = await createDatabase('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'firmament-backup-'));
  const office = openOffice(database);
  const env = { DATA_DIR: database.dataDir };
  t.after(async () => {
    await office[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const importRound = async (round: number) => {
    const rows = Array.from({ length: COMPANIES }, (_, at) =>
      company(String(at + 1).padStart(8, '0'), `HOLDINGS ${at} ROUND ${round} LTD`),
    );
    const ended = await run(['import', 'gb', writeGb(folder, `${round}.csv`, rows), '--partial'], env);
    assert.equal(ended.code, 0, ended.stderr);
  };
  const backUp = async (name: string) => {
    const dataDir = join(folder, name);
    const ended = await run(['backup', dataDir], env);
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.match(ended.stdout, /accounts\.db .*\d bytes\nregistry\.db .*\d bytes\nBacked up to /);
    return { ...database, dataDir, [Symbol.asyncDispose]: async () => undefined };
  };
  const account = await office.createAccount({ keys: 4 });
  await importRound(1);
  const server = await startServer(database);
  t.after(async () => {
    server.kill('SIGKILL');
    await server.ended;
  });

  const traffic = startTraffic({ urls: [server.url], keys: account.keys, callers: 8, pauseMs: 15 });
  const readUsed = () => office.readUsed(account.accountId);
  await until('the traffic is charged', async () => (await readUsed()).quota > 0);
  const importing = importRound(2);
  const before = await readUsed();
  const busy = await backUp('under-load');
  const atEnd = await readUsed();
  await until('more traffic is charged', async () => (await readUsed()).quota > atEnd.quota);
  await importing;
  const answers = await traffic.stop();
  assert.deepEqual(tally(answers), { 200: answers.length });
  for (const name of ['accounts.db', 'registry.db']) {
    const opened = new DatabaseSync(join(busy.dataDir, name));
    assert.deepEqual({ ...opened.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    opened.close();
  }
  await using copied = openOffice(busy);
  const used = await copied.readUsed(account.accountId);
  assert.equal(used.quota, used.daily, 'the copy contains a partial charge');
  assert.ok(used.quota >= before.quota && used.quota <= atEnd.quota, `${before.quota} ${used.quota} ${atEnd.quota}`);

  // Another one without load, to compare every byte.
  await until('search finds what was imported last', async () => {
    const headers = { 'x-api-key': account.keys[1] ?? '' };
    return (await (await fetch(`${server.url}/api/v1/entities?q=holdings`, { headers })).text()).includes('ROUND 2');
  });
  await office.settle(account.accountId);
  const quiet = await backUp('quiet');
  const expected = await readAnswers(server.url, account);
  await using service = await startService('sqlite', { database: quiet, localClock: systemClock });
  assert.deepEqual(await readAnswers(service.url, account), expected);
});
