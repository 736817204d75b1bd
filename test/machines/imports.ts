import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundMs } from '../harness/depth.ts';
import { startTraffic, tally } from '../harness/load.ts';
import { run } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import type { Machines } from './machines.ts';

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

/** What an import on one machine means for the others. The last of these tests stops machine 1, and starts it again. */
export function testImports(use: () => Machines): void {
  let machines: Machines;
  let folder: string;
  let key = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-changes-'));
    machines = use();
    key = (await machines.office.createAccount()).keys[0] ?? '';
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

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

  test('a machine that stops answers the requests that wait, and does not wait for them', async () => {
    const { meta } = (await (await ask(1, 'cursor=now')).json()) as Page;
    const waiting = ask(1, `cursor=${meta.nextCursor}&wait=30`);
    // When later requests are answered, this one is waiting.
    for (let at = 0; at < 5; at++) {
      await sleep(100);
      await (await ask(1, 'type=loaded')).arrayBuffer();
    }
    const server = machines.at(1);
    server.kill('SIGTERM');
    const reply = await waiting;
    assert.deepEqual([reply.status, ((await reply.json()) as Page).data], [200, []]);
    assert.equal((await server.ended).code, 0, server.output());
    await machines.restart(1);
  });

  /** The build time of each index in seconds, from the machine's log. */
  function readBuilds(machine: number): number[] {
    const lines = machines.at(machine).output().split('\n');
    return lines.flatMap((line) => (line.includes('"search index built"') ? [Number(JSON.parse(line).seconds)] : []));
  }

  async function untilAll(holds: (url: string) => Promise<boolean>): Promise<void> {
    for (const url of machines.urls) await until(`${url} serves the new data`, () => holds(url));
  }
}
