import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { fileAddress, writeExport } from '../exports/exports.ts';
import { runs } from '../harness/depth.ts';
import type { TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

const CONTENT = randomBytes(200_000);
const TAG = `"${createHash('sha256').update(CONTENT).digest('hex')}"`;
const FILE = fileAddress();
const QUOTA_LEFT = 'x-monthly-quota-remaining';
/** Larger than all buffers between the two processes. */
const LARGE_BYTES = 128 * 1024 * 1024;
const LARGE = fileAddress('ndjson/entities/country=LV/part-0000.ndjson');

describe('downloads of exports', () => {
  const service = useService('sqlite', { limits: { checkEveryMs: 50 } });
  let key: string;
  let folder: string;
  before(async () => {
    key = await service.createKey();
    folder = `${service.database.dataDir}/exports`;
    await writeExport(folder, { countries: { GB: CONTENT, EE: Buffer.alloc(0) } });
    await writeLarge(folder);
  });
  // Every test has a minute of its own.
  let minute = Date.parse('2026-03-15T12:00:00Z');
  beforeEach(() => {
    minute += 60_000;
    service.clock.set(new Date(minute).toISOString());
  });
  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.url + path, { method, headers: { authorization: `Bearer ${key}`, ...headers } });

  test('an account has eight downloads at the same time; more are refused for nothing, and others are not affected', async () => {
    const owner = await service.createKey();
    const caller = (await service.services.apiKeys.findKey(owner)) ?? assert.fail('the key is not found');
    const open = await Promise.all(
      Array.from({ length: 8 }, () => request(LARGE, { authorization: `Bearer ${owner}` })),
    );
    assert.ok(open.every(({ status }) => status === 200));
    const refused = await request(FILE, { authorization: `Bearer ${owner}` });
    const { error } = (await refused.json()) as { error: { code: string } };
    assert.deepEqual([refused.status, error.code], [429, 'concurrency_limit_exceeded']);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.equal(refused.headers.get('cache-control'), 'no-store');
    assert.equal((await request(FILE)).status, 200, 'another account');
    const readUsed = async () => (await service.services.meter.readUsage(caller)).used;
    await until('the refused request is refunded', async () => (await readUsed()) === open.length);
    await Promise.all(open.map(({ body }) => body?.cancel()));
    await until('the slots are free again', async () => {
      const reply = await request(FILE, { authorization: `Bearer ${owner}`, range: 'bytes=0-0' });
      await reply.arrayBuffer();
      return reply.status === 206;
    });
  });

  test('any valid range is the slice of the file', async () => {
    const anyOffset = fc.oneof(fc.nat(CONTENT.length + 10), fc.constantFrom(0, 65_535, 65_536, 65_537, 199_999));
    const kind = fc.constantFrom('both', 'open', 'suffix');
    await fc.assert(
      fc.asyncProperty(anyOffset, anyOffset, kind, async (a, b, form) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const range = { both: `${first}-${last}`, open: `${first}-`, suffix: `-${first}` }[form];
        const expected = {
          both: CONTENT.subarray(first, last + 1),
          open: CONTENT.subarray(first),
          suffix: CONTENT.subarray(CONTENT.length - Math.min(first, CONTENT.length)),
        }[form];
        const reply = await request(FILE, { range: `bytes=${range}` });
        const bytes = Buffer.from(await reply.arrayBuffer());
        if (expected.length === 0) return assert.equal(reply.status, 416);
        assert.equal(reply.status, 206);
        assert.ok(bytes.equals(expected), range);
        assert.equal(reply.headers.get('content-length'), String(expected.length));
        const start = form === 'suffix' ? CONTENT.length - expected.length : first;
        const span = `bytes ${start}-${start + expected.length - 1}/${CONTENT.length}`;
        assert.equal(reply.headers.get('content-range'), span);
        assert.equal(reply.headers.get('etag'), TAG);
      }),
      { numRuns: runs(60, 2_000) },
    );
  });

  test('If-Range sends the rest of the same file, or all of another one', async () => {
    const range = 'bytes=10-19';
    const statuses: [Record<string, string>, number][] = [
      [{ range, 'if-range': TAG }, 206],
      [{ range, 'if-range': `W/${TAG}` }, 200],
      [{ range, 'if-range': '"other"' }, 200],
      [{ range, 'if-range': 'Sun, 15 Mar 2026 12:00:00 GMT' }, 200],
      [{ range: 'bytes=999999-', 'if-range': '"other"' }, 200],
      [{ range, 'if-none-match': TAG, 'if-range': TAG }, 304],
      [{ range, 'if-none-match': '"other"' }, 206],
      [{ range: 'bytes=0-1,5-6' }, 200],
      [{ 'if-range': TAG }, 200],
    ];
    for (const [headers, status] of statuses) {
      const reply = await request(FILE, headers);
      const bytes = Buffer.from(await reply.arrayBuffer());
      assert.equal(reply.status, status, JSON.stringify(headers));
      const expected = { 200: CONTENT, 206: CONTENT.subarray(10, 20), 304: Buffer.alloc(0) }[status];
      assert.ok(expected?.equals(bytes), JSON.stringify(headers));
    }
    const head = await request(FILE, { range }, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '200000'], 'HEAD has no ranges');
  });

  test('a client that does not read keeps no more than buffers in memory, and gets all of it when it reads', async (t) => {
    const opened = watchFiles(t);
    const client = openRaw(service, LARGE, key);
    client.socket.pause();
    await until('the file is being read', () => (opened[0]?.bytesRead() ?? 0) > 0);
    let before = -1;
    await until('reading has stopped', async () => {
      const now = opened[0]?.bytesRead() ?? 0;
      const isSame = now === before;
      before = now;
      // The server has had time to read on: it answered others meanwhile.
      for (let round = 0; isSame && round < 20; round++) await service.client.get('/api/v1/plans');
      return isSame && now === opened[0]?.bytesRead();
    });
    assert.ok(before < LARGE_BYTES / 4, `${before} bytes were read from the disk`);
    client.socket.resume();
    await until('all of it has arrived', () => client.received() > LARGE_BYTES);
    await until('the file is closed', () => opened[0]?.isClosed());
    client.socket.destroy();
  });

  test('the file is closed when the client vanishes', async (t) => {
    const opened = watchFiles(t);
    const client = openRaw(service, LARGE, key);
    await until('bytes have arrived', () => client.received() > 1_000);
    client.socket.destroy();
    await until('the file is closed', () => opened[0]?.isClosed());
    assert.ok((opened[0]?.bytesRead() ?? 0) < LARGE_BYTES);
    const isAborted = (line: string) =>
      line.includes('/api/v1/exports/:generation/*') && line.includes('"aborted":true');
    await until('the log says so', () => service.logLines.some(isAborted));
  });

  for (const [when, reads] of [
    ['at its start', 0],
    ['in the middle', 1],
  ] as const) {
    test(`a file that cannot be read ${when} is refunded`, async (t) => {
      const { exports } = service.services;
      const openFile = exports.openFile.bind(exports);
      t.mock.method(exports, 'openFile', async (...given: Parameters<typeof openFile>): Promise<FileHandle> => {
        const file = await openFile(...given);
        const read = t.mock.method(file, 'read').mock;
        const broken = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
        read.mockImplementationOnce((() => Promise.reject(broken)) as unknown as FileHandle['read'], reads);
        return file;
      });
      // A 304 is free.
      const countLeft = async () => (await request(FILE, { 'if-none-match': TAG })).headers.get(QUOTA_LEFT);
      const before = await countLeft();
      const reply = await request(FILE);
      assert.equal(reply.headers.get(QUOTA_LEFT), String(Number(before) - 1), 'it is charged when it is opened');
      if (reads === 0) {
        assert.equal(reply.status, 500);
        assert.equal(reply.headers.get('cache-control'), 'no-store');
        assert.equal(reply.headers.get('etag'), null, 'an error is not the file');
      } else await assert.rejects(reply.arrayBuffer(), { message: 'terminated' });
      await until('it is refunded', async () => (await countLeft()) === before);
    });
  }

  test('a new export appears, and one that is removed or damaged is not sent', async () => {
    const generations = async () =>
      ((await (await request('/api/v1/exports')).json()) as { data: { generation: number }[] }).data.map(
        (each) => each.generation,
      );
    await writeExport(folder, { generation: 5 });
    await until('it is listed', async () => (await generations()).includes(5));
    const file = `${folder}/5/parquet/entities/country=GB/part-0000.parquet`;
    await writeFile(file, 'another size');
    const damaged = await request(fileAddress(undefined, 5));
    assert.equal(damaged.status, 500, 'a file that cannot have the promised hash is sent');
    await rm(`${folder}/5`, { recursive: true });
    await until('it is gone', async () => (await request(fileAddress(undefined, 5))).status === 404);
    await until('it is not listed', async () => !(await generations()).includes(5));
  });

  /** Follows the files that downloads open during the test. */
  function watchFiles(t: { mock: typeof import('node:test').mock }) {
    const opened: { bytesRead: () => number; isClosed: () => boolean }[] = [];
    const { exports } = service.services;
    const openFile = exports.openFile.bind(exports);
    t.mock.method(exports, 'openFile', async (...given: Parameters<typeof openFile>): Promise<FileHandle> => {
      const file = await openFile(...given);
      let [bytes, isClosed] = [() => 0, false];
      (file as FileHandle & EventEmitter).once('close', () => {
        isClosed = true;
      });
      const createReadStream = file.createReadStream.bind(file);
      file.createReadStream = (options) => {
        const stream = createReadStream(options);
        bytes = () => stream.bytesRead;
        return stream;
      };
      opened.push({ bytesRead: () => bytes(), isClosed: () => isClosed });
      return file;
    });
    return opened;
  }
});

/** A sparse file: its size counts, not its content. */
async function writeLarge(folder: string): Promise<void> {
  const written = await writeExport(folder, { format: 'ndjson', countries: { LV: Buffer.from('x') } });
  const [file] = written.files;
  assert.ok(file);
  await truncate(`${folder}/1/ndjson/${file.path}`, LARGE_BYTES);
  const manifest = { ...written, files: [{ ...file, bytes: LARGE_BYTES }] };
  await writeFile(`${folder}/1/ndjson/manifest.json`, JSON.stringify(manifest));
}

function openRaw({ url }: TestService, path: string, key: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = 0;
  let isConnected = false;
  socket.on('connect', () => {
    isConnected = true;
  });
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  return { socket, received: () => received, isConnected: () => isConnected };
}
