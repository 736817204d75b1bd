import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { openOffice } from '../harness/keys.ts';
import { of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { use, useFolder } from '../harness/use.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { startBalancer } from './balancer.ts';

/** Several machines on one PostgreSQL behind one balancer. Each is a process with its own port and data directory. */
async function startMachines(count: number) {
  const database = await createDatabase('postgres');
  const balancer = await startBalancer();
  const office = openOffice(database);
  const shared = { ...paymentEnv, PUBLIC_URL: balancer.url };
  const settings: Array<{ dataDir: string; port: number }> = [];
  const servers: RunningServer[] = [];

  const start = async ({ dataDir, port }: (typeof settings)[0]) =>
    startServer({ ...database, dataDir }, { env: shared, port });

  async function close(): Promise<void> {
    await balancer.close();
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ ended }) => ended));
    await office[Symbol.asyncDispose]();
    for (const { dataDir } of settings) rmSync(dataDir, { recursive: true, force: true });
    await database[Symbol.asyncDispose]();
  }

  try {
    for (let at = 0; at < count; at++) {
      settings.push({ dataDir: mkdtempSync(join(tmpdir(), 'firmament-machine-')), port: await findFreePort() });
    }
    for (const outcome of await Promise.allSettled(settings.map(start))) {
      if (outcome.status === 'rejected') throw outcome.reason;
      servers.push(outcome.value);
    }
    const urls = servers.map(({ url }) => url);
    balancer.use(urls);
    await Promise.all(urls.map(balancer.untilUp));
    return {
      urls,
      balancer,
      office,
      at: (index: number) => servers[index] as RunningServer,
      /** For a command that runs on the machine. */
      envOf: (index: number) => ({
        DATA_DIR: settings[index]?.dataDir ?? '',
        DATABASE_URL: database.databaseUrl ?? '',
      }),
      /** Stops the machine with SIGTERM, waits for its end and starts it again, as an upgrade does. */
      async restart(index: number) {
        const server = servers[index] as RunningServer;
        server.kill('SIGTERM');
        const { code } = await server.ended;
        if (code !== 0) throw new Error(`the server exited with ${code}:\n${server.output()}`);
        servers[index] = await start(settings[index] as (typeof settings)[0]);
        await balancer.untilUp(server.url);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const MACHINES = 2;

interface Page {
  readonly data: readonly {
    readonly cursor: string;
    readonly type: string;
    readonly after: { canonicalName: string };
  }[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

const ROWS = 40;
const IMPORTS = 3;
/** Running servers notice a published import within two seconds, and then build their index. */
const SEEN_WITHIN_MS = boundMs(2_000);
/** Time that a busy machine may need to start the thread that builds the index. */
const GRACE_MS = boundMs(8_000);

/**
 * Several machines behave as one service: each test takes its steps on different machines. `test/races` kills them.
 */
describe(`${MACHINES} machines on one PostgreSQL`, () => {
  const machines = use(
    () => startMachines(MACHINES),
    (started) => started.close(),
  );
  const folder = useFolder();
  let key = '';
  before(async () => {
    key = (await machines.office.createAccount()).keys[0] ?? '';
  });

  const ask = (machine: number, query: string) =>
    fetch(`${machines.urls[machine]}/api/v1/changes?${query}`, { headers: { 'x-api-key': key } });

  async function importOn(machine: number, word: string): Promise<void> {
    const rows = Array.from({ length: ROWS }, (_, at) => company(String(at + 1).padStart(8, '0'), `${word} ${at} LTD`));
    const file = writeGb(folder, `${word}.csv`, rows);
    const { code, stderr } = await run(['import', 'gb', file, '--partial'], machines.envOf(machine));
    assert.equal(code, 0, stderr);
  }

  /** Takes each page from another machine, and from the next one if that machine is restarting. */
  async function follow(cursor: string, changes: number): Promise<string[]> {
    const seen: string[] = [];
    for (let at = 0, next = cursor; seen.length < changes; at++) {
      const reply = await ask(at % machines.urls.length, `cursor=${next}&wait=5&limit=7`).catch(() => undefined);
      if (reply?.status !== 200) {
        await sleep(50);
        continue;
      }
      const { data, meta } = (await reply.json()) as Page;
      seen.push(...data.map(({ type, after }) => `${type} ${after.canonicalName}`));
      next = meta.nextCursor;
    }
    return seen;
  }

  const get = (url: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': key, ...headers } });
  const tagOf = async (url: string) => (await get(url, '/entities?pageSize=1')).headers.get('etag') ?? '';

  test('an import on one machine is served by all machines in time, without a failed request, and their answers are identical', async (t) => {
    await importOn(0, 'FIRST');
    const { urls } = machines;
    await untilAll(async (url) => (await (await get(url, '/entities?q=first')).text()).includes(`"total":${ROWS}`));
    const before = await tagOf(urls[0] ?? '');
    const builtBefore = machines.urls.map((_, at) => readBuilds(at).length);

    const keys = (await machines.office.createAccount({ keys: 3 })).keys;
    const traffic = startTraffic({ urls, keys, callers: 6, pauseMs: 20 });
    await importOn(1, 'SECOND');
    const published = performance.now();
    const late = await Promise.all(
      urls.map(async (url) => {
        await until('the new data is served', async () => (await tagOf(url)) !== before);
        return performance.now() - published;
      }),
    );
    const answers = await traffic.stop();
    assert.deepEqual(tally(answers), { 200: answers.length });
    for (const [at, ms] of late.entries()) {
      const buildMs = Math.max(0, ...readBuilds(at).slice(builtBefore[at])) * 1_000;
      t.diagnostic(
        `machine ${at}: served ${Math.round(ms)} ms after the import, index built in ${Math.round(buildMs)} ms`,
      );
      assert.ok(ms < SEEN_WITHIN_MS + buildMs + GRACE_MS, `machine ${at} took ${Math.round(ms)} ms`);
    }

    const { data } = (await (await get(urls[0] ?? '', '/entities?q=second')).json()) as { data: Array<{ id: string }> };
    for (const path of ['/entities?q=second&page=7', '/entities?q=first', '/countries', `/entities/${data[3]?.id}`]) {
      const replies = await Promise.all(urls.map((url) => get(url, path)));
      const texts = await Promise.all(replies.map((reply) => reply.text()));
      assert.equal(new Set(texts).size, 1, path);
      // A client may revalidate the reply of one machine on another.
      const tag = replies[0]?.headers.get('etag') ?? '';
      for (const url of urls) assert.equal((await get(url, path, { 'if-none-match': tag })).status, 304, path);
    }
  });

  test('the change feed continues on any machine, across imports and restarts, without gap or repetition', async () => {
    await importOn(0, 'FIRST');
    const { meta } = (await (await ask(0, 'cursor=now')).json()) as Page;
    const following = follow(meta.nextCursor, IMPORTS * ROWS);
    for (let number = 0; number < IMPORTS; number++) {
      await importOn(number % machines.urls.length, `NAME${number}`);
      if (number % 3 === 0) await machines.restart((number + 1) % machines.urls.length);
    }
    const expected = Array.from({ length: IMPORTS }, (_, number) =>
      Array.from({ length: ROWS }, (_, at) => `changed NAME${number} ${at} LTD`).toSorted(),
    );
    const seen = await following;
    for (const [number, names] of expected.entries()) {
      assert.deepEqual(seen.slice(number * ROWS, (number + 1) * ROWS).toSorted(), names);
    }
    for (const query of [`cursor=${meta.nextCursor}&limit=30`, 'type=loaded', 'country=GB&limit=1000']) {
      const texts = await Promise.all(machines.urls.map(async (_, machine) => (await ask(machine, query)).text()));
      assert.equal(new Set(texts).size, 1, query);
    }
  });

  /** The build time of each index in seconds, from the machine's log. */
  function readBuilds(machine: number): number[] {
    const lines = machines.at(machine).output().split('\n');
    return lines.flatMap((line) => (line.includes('"search index built"') ? [Number(JSON.parse(line).seconds)] : []));
  }

  async function untilAll(holds: (url: string) => Promise<boolean>): Promise<void> {
    for (const url of machines.urls) await until(`${url} serves the new data`, () => holds(url));
  }

  // While one machine restarts, at least one other serves.
  test('a rolling restart under load drops no request, and every answer is charged once', async (t) => {
    const { balancer, office, urls } = machines;
    const account = await office.createAccount({ keys: 10 });
    const paths = [SEARCH, '/api/v1/countries'];
    const traffic = startTraffic({
      urls: [balancer.url],
      paths,
      keys: account.keys,
      callers: 16,
      pauseMs: 40,
    });
    await until('there is load', () => traffic.answers.length > 30);
    for (const [index] of urls.entries()) {
      await machines.restart(index);
      const before = balancer.sent.length;
      await until('there is load', () => balancer.sent.length >= before + 60);
      const its = balancer.sent.slice(before).filter(({ machine }) => machine === urls[index]);
      assert.ok(its.length > 0, 'the restarted machine gets no requests');
    }
    const answers = await traffic.stop();
    t.diagnostic(`${answers.length} requests during the restarts`);
    assert.deepEqual(balancer.dropped, []);
    assert.deepEqual(tally(answers), { 200: answers.length });
    const used = await office.settle(account.accountId);
    assert.deepEqual(used, { quota: of(200, answers).length, daily: of(200, answers).length });
  });
});
