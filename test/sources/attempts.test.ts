import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { downloadFile } from '../../src/import/fetch/download.ts';
import { SourceProblem } from '../../src/import/fetch/problem.ts';
import {
  type Client,
  DEFAULT_LIMITS,
  fetchPage,
  NO_VALIDATORS,
  type Response,
  tryRepeatedly,
} from '../../src/import/fetch/requests.ts';
import { testClock } from '../harness/clock.ts';
import { useFolder } from '../harness/use.ts';

const MB = 1_048_576;
const url = new URL('https://publisher.example/register.csv');
const { signal } = new AbortController();

/** Requests that a function answers. */
function connectTo(answer: (range: number) => Partial<Response>, limits = {}) {
  const requests: number[] = [];
  const client: Client = {
    async get(_url, { range = '' }) {
      const start = Number(/\d+/.exec(range)?.[0] ?? 0);
      requests.push(start);
      return { status: 200, headers: {}, body: Readable.from([]), ...answer(start) };
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    requests,
    connection: { client, clock: testClock(), signal, limits: { ...DEFAULT_LIMITS, pauseMs: 1, ...limits } },
  };
}

describe('attempts', () => {
  const fail = async () => {
    throw new SourceProblem('publisher.example is busy', 'later', { retry: true });
  };

  test('have pauses that double, and end when a pause would be too long', async () => {
    let count = 0;
    const limits = { ...DEFAULT_LIMITS, attempts: 100, pauseMs: 4, maxPauseMs: 16 };
    const attempt = () => {
      count++;
      return fail();
    };
    await assert.rejects(tryRepeatedly({ limits, signal }, attempt), /is busy and asks to wait for 1 minutes/);
    // After pauses of 4, 8 and 16 ms.
    assert.equal(count, 4);
  });

  test('have pauses of a minute at most, and can be stopped meanwhile', async () => {
    const controller = new AbortController();
    const limits = { ...DEFAULT_LIMITS, pauseMs: 80_000, maxPauseMs: 70_000 };
    const ended = tryRepeatedly({ limits, signal: controller.signal }, async () => {
      setImmediate(() => controller.abort());
      return fail();
    });
    await assert.rejects(ended, { name: 'AbortError' });
  });
});

describe('a page', () => {
  test('of more than 8 MB is not read to its end', async () => {
    const read = (bytes: number) => {
      const chunks = Array.from({ length: bytes / MB }, () => Buffer.alloc(MB, 'a'));
      const { connection } = connectTo(() => ({ body: Readable.from(chunks) }));
      return fetchPage(url, (text) => text.length, connection);
    };
    assert.equal(await read(8 * MB), 8 * MB);
    await assert.rejects(read(9 * MB), /register\.csv is too large for a page/);
  });
});

describe('a download in parts', () => {
  const folder = useFolder();
  const body = Buffer.alloc(6 * MB + 5, 'register ');
  const started: object[] = [];
  const download = {
    url,
    path: join(folder, 'register.csv'),
    kept: NO_VALIDATORS,
    started: NO_VALIDATORS,
    maxBytes: body.length,
    start: async (validators: object) => void started.push(validators),
    onProgress: () => {},
  };
  const version = { 'last-modified': 'Mon, 16 Nov 2026 03:00:00 GMT' };
  /** The rest of the file, or less of it. */
  const send = (start: number, end = body.length, headers: object = version): Partial<Response> => ({
    status: start === 0 ? 200 : 206,
    headers: { ...headers, ...(start > 0 && { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` }) },
    body: Readable.from([body.subarray(start, end)]),
  });
  const cut = (start: number, end: number): Partial<Response> => ({
    ...send(start),
    body: Readable.from(
      (async function* () {
        yield body.subarray(start, end);
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      })(),
    ),
  });
  const expectWhole = async (connection: Parameters<typeof downloadFile>[1]) => {
    const { size, hash } = (await downloadFile(download, connection)) ?? {};
    assert.deepEqual([size, hash], [body.length, `sha256:${createHash('sha256').update(body).digest('hex')}`]);
    assert.ok(readFileSync(download.path).equals(body));
  };

  test('may take any number of attempts if each brings a megabyte, and few if they bring less', async () => {
    const steady = connectTo((start) => (start + MB < body.length ? cut(start, start + MB) : send(start)), {
      attempts: 2,
    });
    await expectWhole(steady.connection);
    assert.deepEqual(
      steady.requests,
      [0, 1, 2, 3, 4, 5, 6].map((count) => count * MB),
    );
    const slow = connectTo((start) => cut(start, start + MB - 1), { attempts: 2 });
    await assert.rejects(downloadFile(download, slow.connection), /closed the connection/);
    assert.deepEqual(slow.requests, [0, MB - 1]);
  });

  test('continues if the end of a part is missing although its response ended well', async () => {
    let count = 0;
    const { connection, requests } = connectTo(
      (start) => [cut(0, MB), send(start, 2 * MB), send(start)][count++] ?? {},
    );
    await expectWhole(connection);
    assert.deepEqual(requests, [0, MB, 2 * MB]);
  });

  test('starts again if the part has another date', async () => {
    let count = 0;
    const other = { 'last-modified': 'Tue, 17 Nov 2026 03:00:00 GMT' };
    const { connection, requests } = connectTo(
      (start) => [cut(0, MB), send(start, body.length, other), send(start)][count++] ?? {},
    );
    await expectWhole(connection);
    assert.deepEqual(requests, [0, MB, 0]);
  });
});
