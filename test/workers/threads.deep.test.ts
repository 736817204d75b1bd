import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Crash } from '../faults/crash-thread.ts';
import { startPressure } from '../faults/pressure.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { type Answer, fire, of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { stopUnderLoad } from './stop-under-load.ts';

const WORKERS = 3;
const NUMBERS = Array.from({ length: WORKERS }, (_, at) => at + 1);
const REQUESTS = 500;
/** The thread that gets stuck. */
const STUCK = 2;
const SETTINGS = { CORS_ORIGINS: 'https://tools.example', TRUST_PROXY: '127.0.0.1' } as const;
/** While a thread is replaced. */
const CALLERS = 24;
const crashModule = new URL('../faults/crash-thread.ts', import.meta.url).href;

// What does not depend on the database. test/machines runs several processes on PostgreSQL.
describe(`${WORKERS} serving threads`, () => {
  let database: TestDatabase;
  let office: Office;
  let server: RunningServer;
  let key: string;
  let metricsUrl: string;
  before(async () => {
    database = await createDatabase('sqlite');
    const env = {
      ...paymentEnv,
      ...SETTINGS,
      WORKERS: String(WORKERS),
      NODE_OPTIONS: `--import=${crashModule}`,
      CRASH_DIR: database.dataDir,
    };
    // The system chooses the port.
    server = await startServer(database, { env, port: 0 });
    const findMetrics = () => lines().find(({ msg }) => msg === 'starting')?.metrics;
    await until('the log has the address of the metrics', findMetrics);
    metricsUrl = String(findMetrics());
    office = openOffice(database);
    key = (await office.createAccount()).keys[0] as string;
  });
  after(async () => {
    server?.kill('SIGKILL');
    await server?.ended;
    await office?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  /** Each caller has its own connection, so that the kernel spreads them over all threads. */
  const ask = (count: number, options: { path?: string; keys?: readonly string[]; callers?: number } = {}) => {
    const { path = SEARCH, keys = [key], callers = count } = options;
    return fire(count, { urls: [server.url], paths: [path], keys, callers });
  };

  const lines = () => server.output().trim().split('\n').filter(Boolean).map(parseLine);
  const linesOf = (path: string) => lines().filter(({ route }) => route === path);
  const crash = (how: Crash, number: number) => writeFileSync(join(database.dataDir, `${how}-${number}`), '');

  async function readMetrics(): Promise<(name: string) => number> {
    const text = await (await fetch(metricsUrl)).text();
    return (name) => {
      const found = text.split('\n').filter((line) => line.startsWith(`${name} `));
      assert.equal(found.length, 1, `${name} occurs ${found.length} times`);
      return Number(found[0]?.slice(name.length));
    };
  }

  /** Asks seldom, because gathering the metrics of all threads takes the time that a new thread needs to start. */
  const untilMetric = (name: string, expected: number) =>
    until(`${name} is ${expected}`, async () => {
      await sleep(200);
      return (await readMetrics())(name) === expected;
    });

  test('with PORT=0 all threads listen on the same system-chosen port', async () => {
    const urls = () => server.output().match(/(?<=listening at )http:\/\/127\.0\.0\.1:\d+/g) ?? [];
    await until('all threads listen', () => urls().length === WORKERS);
    assert.deepEqual(new Set(urls()), new Set([server.url]));
  });

  test('all threads serve, their log lines are intact, and their metrics are summed', async () => {
    const path = '/api/v1/plans';
    const name = `http_request_duration_seconds_count{method="GET",route="${path}",status="200"}`;
    const answers = await ask(REQUESTS, { path, callers: 60 });
    assert.deepEqual(tally(answers), { 200: REQUESTS });
    await until('all lines are written', () => linesOf(path).length === REQUESTS);
    const counts = Map.groupBy(linesOf(path), ({ worker }) => worker);
    assert.deepEqual([...counts.keys()].toSorted(), NUMBERS);
    for (const [worker, its] of counts) assert.ok(its.length > REQUESTS / 15, `thread ${worker} served ${its.length}`);
    const ids = new Set(linesOf(path).map(({ requestId }) => requestId));
    assert.deepEqual(ids, new Set(answers.map(({ headers }) => headers['x-request-id'])));

    const read = await readMetrics();
    assert.equal(read(name), REQUESTS);
    assert.equal(read('workers'), WORKERS);
    assert.equal(read('worker_restarts_total'), 0);
    const megabytes = read('process_resident_memory_bytes') / 1e6;
    assert.ok(megabytes > 50 && megabytes < 1_000, `${megabytes} MB is not the memory of the process`);
  });

  test('all threads serve a new import at the same time, and no request fails meanwhile', async () => {
    // More keys than a slow machine uses up in a minute.
    const { keys } = await office.createAccount({ keys: 20 });
    const traffic = startTraffic({ urls: [server.url], keys, callers: CALLERS, pauseMs: 40 });
    const rows = Array.from({ length: 7 }, (_, at) => company(`0000000${at}`, `HOLDINGS ${at} LTD`));
    const file = writeGb(database.dataDir, 'companies.csv', rows);
    const imported = await run(['import', 'gb', file, '--partial'], { DATA_DIR: database.dataDir });
    assert.equal(imported.code, 0, imported.stderr);
    const tagsOf = (answers: readonly Answer[]) => new Set(answers.map(({ headers }) => headers.etag));
    await until('some thread serves the new data', () => tagsOf(traffic.answers).size === 2);
    // All threads are notified at the same time, but on a busy machine some switch later.
    const [oldTag] = tagsOf(traffic.answers);
    const isNew = () => !tagsOf(traffic.answers.slice(-5 * CALLERS)).has(oldTag);
    await until('all threads serve the new data', isNew);
    const from = performance.now();
    const late = () => traffic.answers.filter(({ sentAt }) => sentAt > from);
    await until('there are late requests', () => late().length > 10);
    const answers = await traffic.stop();
    assert.deepEqual(Object.keys(tally(answers)), ['200']);
    assert.equal(tagsOf(late()).size, 1, 'some thread still serves the old data');
    assert.equal(tagsOf(answers).size, 2);
  });

  test('a crashed thread is counted and replaced, while the others keep serving', async () => {
    const path = '/api/v1/plans';
    const name = `http_request_duration_seconds_count{method="GET",route="${path}",status="200"}`;
    await ask(30, { path });
    const before = await readMetrics();
    await using pressure = await startPressure({
      office,
      urls: () => [server.url],
      callers: CALLERS,
      pauseMs: 10,
      allowed: ['0'],
    });
    crash('exception', 1);
    await untilMetric('worker_restarts_total', before('worker_restarts_total') + 1);
    await untilMetric('workers', WORKERS);
    const restored = performance.now();
    await until('requests are sent to all threads', () => {
      return pressure.answers.filter(({ sentAt }) => sentAt > restored).length > 2 * CALLERS;
    });
    // Every answer is charged, and every payment event is applied.
    const { answers } = await pressure.end();
    assert.deepEqual(
      Object.keys(tally(answers)).filter((kind) => kind !== '0'),
      ['200'],
    );
    // Lost are only the requests that the crashed thread had in flight or that were sent on its connections.
    assert.ok(of(0, answers).length < CALLERS, `${of(0, answers).length} requests were lost`);
    assert.equal(of(0, answers).filter(({ sentAt }) => sentAt > restored).length, 0);
    assert.ok((await readMetrics())(name) >= before(name), 'the sum fell, which looks like a restart of the process');

    const [crashed] = lines().filter(({ msg }) => String(msg).startsWith('a serving thread crashed'));
    assert.equal(crashed?.level, 50);
    assert.match(JSON.stringify(crashed), /"message":"crashed on purpose"/);
    const since = linesOf(path).length;
    await ask(60, { path });
    await until('lines are written', () => linesOf(path).length === since + 60);
    assert.equal(
      new Set(
        linesOf(path)
          .slice(since)
          .map(({ worker }) => worker),
      ).size,
      WORKERS,
    );
    const found = await ask(30);
    assert.equal(new Set(found.map(({ headers }) => headers.etag)).size, 1, 'the new thread has another index');
    // With so many connections, no thread is left out.
    const readiness = await ask(60, { path: '/api/v1/health/ready' });
    assert.deepEqual(Object.keys(tally(readiness)), ['200'], 'the new thread is not ready');
  });

  test('running out of memory ends one thread only, which is replaced', async () => {
    const listCrashes = () => lines().filter(({ worker, pauseMs }) => worker === 1 && pauseMs !== undefined);
    const [known, restarts] = [listCrashes().length, (await readMetrics())('worker_restarts_total')];
    crash('memory', 1);
    await untilMetric('worker_restarts_total', restarts + 1);
    await untilMetric('workers', WORKERS);
    // Log lines are written once per second.
    await until('the log has the crash', () => listCrashes().length > known);
    const crashed = listCrashes().at(-1);
    // The pause depends on how long the thread has run.
    assert.ok([0, 500].includes(Number(crashed?.pauseMs)), `paused for ${crashed?.pauseMs} ms`);
    assert.match(JSON.stringify(crashed), /"code":"ERR_WORKER_OUT_OF_MEMORY"/);
    assert.deepEqual(tally(await ask(60)), { 200: 60 });
  });

  test('another process cannot listen on the port that the threads share', async () => {
    const { port } = new URL(server.url);
    const env = { PORT: port, ADMIN_PORT: '0', WORKERS: '2', DATA_DIR: database.dataDir };
    const second = await run(['serve'], env);
    assert.deepEqual([second.code, second.stderr.includes(`PORT ${port} is already in use`)], [1, true]);
  });

  test('all threads follow a missing file, and use the settings for origins and proxies', async () => {
    /** Each request has its own connection, so that the kernel spreads them over all threads. */
    const askAll = (path: string) => Promise.all(Array.from({ length: 40 }, () => send(server.url + path, key)));
    const statusesOf = async (path: string) => [...new Set((await askAll(path)).map(({ status }) => status))];
    const file = join(database.dataDir, 'accounts.db');

    for (let round = 0; round < 2; round++) {
      renameSync(file, `${file}.away`);
      for (const path of ['/api/v1/health/ready', '/api/v1/countries']) {
        await until(`${path} fails in all threads`, async () => String(await statusesOf(path)) === '503');
      }
      renameSync(`${file}.away`, file);
      for (const path of ['/api/v1/health/ready', '/api/v1/countries']) {
        await until(`${path} succeeds in all threads`, async () => String(await statusesOf(path)) === '200');
      }
    }
    for (const { origin } of await askAll('/api/v1/countries')) assert.equal(origin, 'https://tools.example');
    const logged = () => linesOf('/api/v1/countries');
    await until('all threads have logged requests', () => {
      return new Set(logged().map(({ worker }) => worker)).size === WORKERS;
    });
    assert.ok(logged().every(({ address }) => address === '203.0.113.7'));
  });

  /** Waits ten seconds. */
  test('a serving thread in an endless loop is replaced, its connections are closed, and the log says where it was', async () => {
    const { keys } = await office.createAccount();
    crash('loop', STUCK);
    // Of 20 connections some reach the stuck thread. They end when it does; all others are answered.
    const answers = await ask(20, { keys });
    assert.ok(of(200, answers).length > 0, 'the other threads did not serve');
    assert.deepEqual(
      Object.keys(tally(answers)).filter((kind) => !['200', '0', '503 service_unavailable'].includes(kind)),
      [],
    );
    const isReplaced = ({ err }: Record<string, unknown>) => JSON.stringify(err ?? '').includes('has not responded');
    const replaced = () => lines().filter(isReplaced);
    await until('the replacement is logged', () => replaced().length === 1);
    const [line] = replaced();
    assert.equal(line?.worker, STUCK);
    await until('the new thread listens', () =>
      lines()
        .slice(lines().findIndex(isReplaced))
        .some(({ worker, msg }) => worker === STUCK && String(msg).startsWith('Server listening')),
    );
    await until('all threads serve', async () => of(200, await ask(20, { keys })).length === 20);
  });

  test('SIGTERM under load: no request is dropped, readiness fails, exit code 0', () =>
    stopUnderLoad(server, 'SIGTERM'));
});

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`not a valid log line: ${line}`);
  }
}

function send(url: string, key: string): Promise<{ status: number; origin: string | undefined }> {
  const headers = { 'x-api-key': key, origin: 'https://tools.example', 'x-forwarded-for': '203.0.113.7' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { ...headers, connection: 'close' }, agent: false }, (response) => {
      response.resume();
      const origin = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, origin }));
    });
    sent.on('error', reject).end();
  });
}
