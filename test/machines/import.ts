import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { boundMs, runs } from '../harness/depth.ts';
import { startTraffic, tally } from '../harness/load.ts';
import type { Machines } from '../harness/machines.ts';
import { run } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';

/** Running servers notice a published import within two seconds, and then build their index. */
const SEEN_WITHIN_MS = boundMs(2_000);
/** Time that a busy machine may need to start the thread that builds the index. */
const GRACE_MS = boundMs(8_000);
const ROWS = runs(500, 3_000);

export function testImport(use: () => Machines): void {
  let machines: Machines;
  let folder: string;
  let key = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-import-'));
    machines = use();
    key = (await machines.office.createAccount()).keys[0] ?? '';
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const ask = (url: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': key, ...headers } });
  const tagOf = async (url: string) => (await ask(url, '/entities?pageSize=1')).headers.get('etag') ?? '';

  async function importOn(machine: number, word: string): Promise<void> {
    const rows = Array.from({ length: ROWS }, (_, at) => company(String(at + 1).padStart(8, '0'), `${word} ${at} LTD`));
    const file = writeGb(folder, `${word}.csv`, rows);
    const { code, stderr } = await run(['import', 'gb', file, '--partial'], machines.envOf(machine));
    assert.equal(code, 0, stderr);
  }

  test('an import on one machine is served by all machines in time, without a failed request, and their answers are identical', async (t) => {
    await importOn(0, 'FIRST');
    const { urls } = machines;
    await untilAll(async (url) => (await (await ask(url, '/entities?q=first')).text()).includes(`"total":${ROWS}`));
    const before = await tagOf(urls[0] ?? '');
    const builtBefore = machines.urls.map((_, at) => readBuilds(at).length);

    const keys = (await machines.office.createAccount({ keys: 3 })).keys;
    const traffic = startTraffic({ urls, keys, callers: 6, pauseMs: runs(60, 20) });
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

    const { data } = (await (await ask(urls[0] ?? '', '/entities?q=second')).json()) as { data: Array<{ id: string }> };
    for (const path of ['/entities?q=second&page=7', '/entities?q=first', '/countries', `/entities/${data[3]?.id}`]) {
      const replies = await Promise.all(urls.map((url) => ask(url, path)));
      const texts = await Promise.all(replies.map((reply) => reply.text()));
      assert.equal(new Set(texts).size, 1, path);
      // A client may revalidate the reply of one machine on another.
      const tag = replies[0]?.headers.get('etag') ?? '';
      for (const url of urls) assert.equal((await ask(url, path, { 'if-none-match': tag })).status, 304, path);
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
}
