import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runs } from '../harness/depth.ts';
import type { Machines } from '../harness/machines.ts';
import { run } from '../harness/process.ts';
import { company, writeGb } from '../registry/gb-file.ts';

interface Page {
  readonly data: readonly {
    readonly cursor: string;
    readonly type: string;
    readonly after: { canonicalName: string };
  }[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

const ROWS = 40;
const IMPORTS = runs(3, 5);

/** The last of these tests stops machine 1. */
export function testChangeFeed(use: () => Machines): void {
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
  });
}
