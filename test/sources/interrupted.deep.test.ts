import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { takeLock } from '../../src/base/db/lock.ts';
import { loadState } from '../../src/import/fetch/state.ts';
import { runs } from '../harness/depth.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { useFolder } from '../harness/use.ts';
import { makeFile } from './fetching.ts';
import { type Answer, makeEtag, serveFile, usePublisher } from './publisher.ts';

describe('the lock of a register', () => {
  const folder = useFolder();

  test('is taken by exactly one process at a time, and released by a process that is killed', async () => {
    const path = join(folder, 'lock');
    const locks = Array.from({ length: 8 }, () => takeLock(path));
    assert.equal(locks.filter((lock) => lock !== null).length, 1);
    for (const lock of locks) lock?.[Symbol.dispose]();
    assert.deepEqual(readdirSync(folder), []);
    const module = new URL('../../src/base/db/lock.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(({ takeLock }) => {
      globalThis.lock = takeLock(${JSON.stringify(path)});
      console.log('taken');
      setInterval(() => {}, 1_000);
    });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    assert.equal(takeLock(path), null);
    child.kill('SIGKILL');
    await once(child, 'close');
    const lock = takeLock(path);
    assert.ok(lock);
    lock[Symbol.dispose]();
  });
});

describe('kill -9', () => {
  const publisher = usePublisher();
  const folder = useFolder();

  test('at several points leaves nothing that counts as complete, and the next run continues', async () => {
    const body = await makeFile(4_000);
    const step = Math.ceil(body.length / 8);
    const whole = serveFile({ body });
    let isStuck = false;
    /** Sends one step more than the client has, and then nothing. */
    const piecewise: Answer = (request, response) => {
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const rest = body.subarray(start);
      const range = { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` };
      response.writeHead(start === 0 ? 200 : 206, {
        etag: makeEtag(body),
        'content-length': rest.length,
        ...(start === 0 ? {} : range),
      });
      response.write(rest.subarray(0, step));
      isStuck = true;
    };
    const sources = join(folder, 'sources.json');
    writeFileSync(sources, JSON.stringify({ lv: [`${publisher.url}/register.csv`] }));
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const state = join(dataDir, 'sources', 'lv');
    const env = { DATA_DIR: dataDir, FETCH_SOURCES: sources };
    publisher.offer('/register.csv', piecewise);
    const killAfter = async (wait: () => Promise<unknown>) => {
      isStuck = false;
      const running = start(['fetch', 'lv'], env);
      await until('it downloads', () => isStuck);
      await wait();
      running.kill('SIGKILL');
      await running.ended;
      return (await loadState(state)).snapshots;
    };
    // At once, and then each time when more of the file has arrived.
    assert.deepEqual(await killAfter(async () => {}), []);
    for (let point = 1; point < runs(3, 6); point++) {
      const before = await measurePart(dataDir);
      const grow = async () => (await measurePart(dataDir)) > before;
      assert.deepEqual(await killAfter(() => until('more has arrived', grow)), []);
    }
    const offsets = publisher.requests.map(({ headers }) => Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0));
    const [earlier = 0, last = 0] = offsets.slice(-2);
    assert.ok(last > earlier, `later runs continue: ${offsets}`);
    // The file is complete now: this hits the checks.
    publisher.offer('/register.csv', (request, response) => {
      isStuck = true;
      whole(request, response);
    });
    const isWhole = async () =>
      (await measurePart(dataDir)) === body.length || (await loadState(state)).pending === null;
    for (const { folder: name, files } of await killAfter(() => until('all has arrived', isWhole))) {
      for (const file of files) assert.deepEqual(readFileSync(join(state, name, file.name)), body);
    }
    const ended = await run(['fetch', 'lv', '--json'], env);
    assert.equal(ended.code, 0, ended.stderr);
    const [{ outcome, files }] = JSON.parse(ended.stdout);
    assert.ok(outcome === 'new' || outcome === 'unchanged', outcome);
    assert.deepEqual(readFileSync(files[0].path), body);
    assert.deepEqual(readdirSync(state).length, 2);
  });
});

/** Bytes of the file that is being downloaded. */
async function measurePart(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'sources', 'lv');
  const { pending } = await loadState(folder);
  const path = join(folder, pending?.folder ?? '', 'register.csv.part');
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
