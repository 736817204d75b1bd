import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { readState } from '../../src/sources/state.ts';
import { takeLock } from '../../src/system/lock.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { run, start } from '../harness/process.ts';
import { makeFile, useFetching } from './fetching.ts';
import { type Answer, makeEtag, type Publisher, serveFile, startPublisher } from './publisher.ts';

describe('two fetches of a register', () => {
  test('do not run at once: the second one says so', async () => {
    const publisher = await startPublisher();
    const { fetch } = useFetching();
    const body = await makeFile(50);
    const addresses = [`${publisher.url}/register.csv`];
    const whole = serveFile({ body });
    publisher.offer('/register.csv', (request, response) => void setTimeout(() => whole(request, response), 100));
    const results = await Promise.all([fetch({ addresses }), fetch({ addresses })]);
    assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ['busy', 'new']);
    const busy = results.find(({ outcome }) => outcome === 'busy');
    assert.equal(busy?.message, 'Another process is updating this register: wait until it has finished.');
    assert.equal((await fetch({ addresses })).outcome, 'unchanged');
    await publisher.close();
  });

  test('are kept apart by a lock, of which one that a killed process left is taken over by exactly one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firmament-lock-'));
    const path = join(folder, 'lock');
    const deadProcess = `4194305 ${hostname()} x`;
    const silent = `${process.pid} another-machine x`;
    for (const [owner, age, takers] of [
      [deadProcess, 0, 1],
      [silent, 120, 1],
      [silent, 5, 0],
      [`${process.pid} ${hostname()} x`, 5, 0],
    ] as const) {
      writeFileSync(path, owner);
      const then = new Date(systemClock.now() - age * 1_000);
      utimesSync(path, then, then);
      const locks = await Promise.all(Array.from({ length: 8 }, () => takeLock(path, systemClock)));
      assert.equal(locks.filter((lock) => lock !== null).length, takers, owner);
      for (const lock of locks) await lock?.release();
      rmSync(path, { force: true });
    }
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });
});

describe('a full disk', () => {
  const disk = mountSmallDisk(4);
  after(() => disk?.remove());

  test('ends the fetch with one sentence, and the next one continues', { skip: disk === undefined }, async () => {
    const publisher = await startPublisher();
    const { fetch } = useFetching();
    const body = await makeFile(4_000);
    publisher.offer('/register.csv', { body });
    const settings = { addresses: [`${publisher.url}/register.csv`], folder: join(disk?.folder ?? '', 'sources') };
    disk?.fill(300_000);
    const full = await fetch(settings);
    assert.deepEqual(
      [full.outcome, full.message],
      [
        'failed',
        'The disk is full: make space in DATA_DIR and run the command again, and it continues where it stopped.',
      ],
    );
    disk?.free();
    const again = await fetch(settings);
    assert.deepEqual([again.outcome, again.message], ['new', null]);
    assert.deepEqual(readFileSync(again.files[0]?.path ?? ''), body);
    assert.match(publisher.requests.at(-1)?.headers.range ?? '', /^bytes=[1-9]/);
    await publisher.close();
  });
});

describe('kill -9', () => {
  let publisher: Publisher;
  let folder: string;
  before(async () => {
    publisher = await startPublisher();
    folder = mkdtempSync(join(tmpdir(), 'firmament-kill-'));
  });
  after(async () => {
    await publisher.close();
    rmSync(folder, { recursive: true, force: true });
  });

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
    const env = { DATA_DIR: dataDir, FETCH_SOURCES: sources };
    publisher.offer('/register.csv', piecewise);
    const killAfter = async (wait: () => Promise<unknown>) => {
      isStuck = false;
      const running = start(['fetch', 'lv'], env);
      while (!isStuck) await sleep(5);
      await wait();
      running.kill('SIGKILL');
      await running.ended;
      return (await readState(join(dataDir, 'sources', 'lv'))).snapshots;
    };
    // At once, and then each time when more of the file has arrived.
    assert.deepEqual(await killAfter(async () => {}), []);
    for (let point = 1; point < runs(3, 6); point++) {
      const before = await measurePart(dataDir);
      const grow = async () => {
        while ((await measurePart(dataDir)) <= before) await sleep(5);
      };
      assert.deepEqual(await killAfter(grow), []);
    }
    const offsets = publisher.requests.map(({ headers }) => Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0));
    const [earlier = 0, last = 0] = offsets.slice(-2);
    assert.ok(last > earlier, `later runs continue: ${offsets}`);
    // The file is complete now: these hit the checks and the last steps.
    publisher.offer('/register.csv', (request, response) => {
      isStuck = true;
      whole(request, response);
    });
    for (const delay of isDeep ? [5, 20, 40, 80] : [5, 40]) {
      for (const { folder: name, files } of await killAfter(() => sleep(delay))) {
        for (const file of files) assert.deepEqual(readFileSync(join(dataDir, 'sources', 'lv', name, file.name)), body);
      }
    }
    const ended = await run(['fetch', 'lv', '--json'], env);
    assert.equal(ended.code, 0, ended.stderr);
    const [{ outcome, files }] = JSON.parse(ended.stdout);
    assert.ok(outcome === 'new' || outcome === 'unchanged', outcome);
    assert.deepEqual(readFileSync(files[0].path), body);
    assert.deepEqual(readdirSync(join(dataDir, 'sources', 'lv')).length, 2);
  });
});

/** Bytes of the file that is being downloaded. */
async function measurePart(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'sources', 'lv');
  const { pending } = await readState(folder);
  const path = join(folder, pending?.folder ?? '', 'register.csv.part');
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
