import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createSourceChecks } from '../../src/registry/checks/checks.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { startTraffic, tally } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { type Answer, type Publisher, serveFile, startPublisher } from '../sources/publisher.ts';

const REGISTERS = ['gb', 'lv'] as const;
/** Starting a process may take long on a busy machine. */
const LIMIT_MS = 300_000;

/** Each test takes one, and a server that has updated a register leaves it alone for ten minutes. */
const SERVERS = 3;

describe(`updates of ${SERVERS} servers on one database`, () => {
  let database: TestDatabase;
  let registryDb: Db;
  let accountsDb: Db;
  let publisher: Publisher;
  let servers: RunningServer[] = [];
  let key = '';

  before(async () => {
    database = await createDatabase('postgres');
    registryDb = openStore('registry', database);
    accountsDb = openStore('accounts', database);
    publisher = await startPublisher();
    for (const id of REGISTERS) {
      const path = join(database.dataDir, `${id}-first.csv`);
      writeFileSync(path, await writeFile(id, 'FIRST'));
      const register = registers.find((each) => each.id === id) ?? assert.fail();
      await importFiles(registryDb, systemClock, { register, registers, paths: [path] });
    }
    const office = openOffice(database);
    key = (await office.createAccount()).keys[0] ?? '';
    await office[Symbol.asyncDispose]();
    const sources = join(database.dataDir, 'sources.json');
    writeFileSync(
      sources,
      JSON.stringify(Object.fromEntries(REGISTERS.map((id) => [id, [`${publisher.url}/${id}.csv`]]))),
    );
    await publish('SECOND');
    const env = { ...paymentEnv, UPDATE: 'daily@03:00', FETCH_SOURCES: sources };
    const start = (at: number) => {
      const dataDir = join(database.dataDir, `machine-${at}`);
      mkdirSync(dataDir);
      return startServer({ ...database, dataDir }, { env });
    };
    servers = await Promise.all(Array.from({ length: SERVERS }, (_, at) => at).map(start));
  });
  after(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ ended }) => ended));
    await publisher?.close();
    await registryDb?.close();
    await accountsDb?.close();
    await database?.remove();
  });

  /** Empty on systems without /proc. */
  function listChildren(pid: number): number[] {
    const file = `/proc/${pid}/task/${pid}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  }

  /** An official file whose companies have this word in their names. */
  async function writeFile(id: (typeof REGISTERS)[number], word: string): Promise<Buffer> {
    const { dataDir } = database;
    if (id === 'gb') {
      const rows = Array.from({ length: 20 }, (_, at) => company(String(at + 1).padStart(8, '0'), `${word} ${at} LTD`));
      return readFileSync(writeGb(dataDir, 'gb.csv', rows));
    }
    const text = readFileSync(await writeSynthetic(dataDir, generateFile({ id }, 20, 1)), 'utf8');
    // Without its last lines, it is not marked as synthetic.
    return Buffer.from(`${text.trimEnd().replaceAll('"SIA ""', `"SIA ""${word} `)}\n`);
  }

  async function publish(word: string, answers: Partial<Record<string, Answer>> = {}): Promise<void> {
    publisher.requests.length = 0;
    for (const id of REGISTERS) {
      publisher.offer(`/${id}.csv`, answers[id] ?? serveFile({ body: await writeFile(id, word) }));
    }
  }

  const countRequests = (id: string) => publisher.requests.filter(({ path }) => path === `/${id}.csv`).length;
  const countStarts = (server: RunningServer) => server.output().split('"update started"').length - 1;
  const countImports = async () => {
    const rows = await registryDb.all<{ register: string; imports: number }>(
      'SELECT register, count(*) AS imports FROM imports GROUP BY register ORDER BY register',
    );
    return Object.fromEntries(rows.map(({ register, imports }) => [register, imports]));
  };
  /** Whether both registers have been checked since. */
  const isDone = async (since: number) => {
    const checks = await createSourceChecks(registryDb).list();
    return checks.length === 2 && checks.every(({ checkedAt, failures }) => failures === 0 && (checkedAt ?? 0) > since);
  };
  const logs = () => servers.map((server) => server.output()).join('\n');

  test('one server downloads and imports each file once, while all of them serve requests', async () => {
    const urls = servers.map(({ url }) => url);
    const traffic = startTraffic({ urls, keys: [key], callers: 3, pauseMs: 50 });
    await until('both registers are updated', () => isDone(1), LIMIT_MS).catch((error) =>
      assert.fail(`${error}\n${logs()}`),
    );
    const answers = await traffic.stop();
    assert.deepEqual(tally(answers), { 200: answers.length });
    await until(
      'the lease is released',
      async () => (await accountsDb.all('SELECT 1 AS one FROM leases WHERE expires_at > 0')).length === 0,
    );
    assert.deepEqual(REGISTERS.map(countRequests), [1, 1]);
    assert.deepEqual(await countImports(), { gb: 2, lv: 2 });
    assert.equal(
      servers.reduce((sum, server) => sum + countStarts(server), 0),
      1,
      logs(),
    );
    for (const url of urls) {
      const search = async () =>
        (await fetch(`${url}/api/v1/entities?q=second`, { headers: { 'x-api-key': key } })).text();
      await until(`${url} serves the new data`, async () => (await search()).includes('SECOND 3 LTD'));
    }
  });

  test('if it is killed in the middle, its update stops, and another server does only what is left', async () => {
    const before = servers.map(countStarts);
    let held: ServerResponse | undefined;
    await publish('THIRD', {
      lv: (_request, response) => {
        held = response;
        response.writeHead(200, { 'content-length': 1_000 }).write('regcode');
      },
    });
    // As if a day had passed.
    await registryDb.run('UPDATE source_checks SET attempted_at = 1, checked_at = 1');
    await until('the second file is being downloaded', () => held !== undefined, LIMIT_MS).catch((error) =>
      assert.fail(`${error}\n${logs()}`),
    );
    const findLeader = () => servers.find((server, at) => countStarts(server) > (before[at] ?? 0));
    // Log lines are written up to a second late.
    await until('the log says which server updates', findLeader);
    const leader = findLeader() ?? assert.fail(logs());
    for (const child of listChildren(leader.pid)) assert.equal(getPriority(child), constants.priority.PRIORITY_LOW);
    leader.kill('SIGKILL');
    await leader.ended;
    servers = servers.filter((server) => server !== leader);
    await until('its update process ends', () => held?.destroyed, LIMIT_MS);
    publisher.offer('/lv.csv', serveFile({ body: await writeFile('lv', 'THIRD') }));
    // As if a minute had passed.
    await accountsDb.run('UPDATE leases SET expires_at = 0');
    await until('the other register is updated', () => isDone(1), LIMIT_MS).catch((error) =>
      assert.fail(`${error}\n${logs()}`),
    );
    assert.deepEqual(REGISTERS.map(countRequests), [1, 2]);
    assert.deepEqual(await countImports(), { gb: 3, lv: 3 });
  });
});
