import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lv } from '../../src/registers/lv/register.ts';
import { until } from '../harness/until.ts';
import { makeFile, NO_DATA, NO_RESPONSE, useFetching } from './fetching.ts';
import { type Answer, makeEtag, type Publisher, serveFile, startPublisher } from './publisher.ts';

/** Answers the first requests differently from the later ones. */
function inTurn(...answers: readonly Answer[]): Answer {
  let count = 0;
  return (request, response) => answers[Math.min(count++, answers.length - 1)]?.(request, response);
}

describe('a download', () => {
  let publisher: Publisher;
  let body: Buffer;
  before(async () => {
    publisher = await startPublisher();
    body = await makeFile(2_000);
  });
  after(() => publisher.close());

  async function fetchFile(answer: Answer, settings = {}) {
    const fetching = useFetching();
    publisher.offer('/register.csv', answer);
    const from = publisher.requests.length;
    const result = await fetching.fetch({ addresses: [`${publisher.url}/register.csv`], ...settings });
    const { snapshots } = await fetching.state();
    return { ...fetching, result, snapshots, requests: publisher.requests.slice(from) };
  }

  test('that is reset in the middle continues where it stopped', async () => {
    const { fetch, folder } = useFetching();
    const hasPart = () => {
      const files = readdirSync(join(folder, 'lv'), { recursive: true, withFileTypes: true });
      const part = files.find(({ name }) => name === 'register.csv.part');
      return part !== undefined && statSync(join(part.parentPath, part.name)).size > 0;
    };
    const reset: Answer = (_request, response) => {
      response.writeHead(200, { etag: makeEtag(body), 'content-length': body.length });
      response.write(body.subarray(0, 100_000));
      // A reset discards what the client has not read yet.
      void until('the client has a part', hasPart).then(() => response.socket?.resetAndDestroy());
    };
    publisher.offer('/register.csv', inTurn(reset, serveFile({ body })));
    const result = await fetch({ addresses: [`${publisher.url}/register.csv`] });
    assert.deepEqual([result.outcome, result.message], ['new', null]);
    assert.deepEqual(readFileSync(result.files[0]?.path ?? ''), body);
    const { range, 'if-range': condition } = publisher.requests.at(-1)?.headers ?? {};
    assert.match(range ?? '', /^bytes=[1-9]\d*-$/);
    assert.equal(condition, makeEtag(body));
  });

  test('continues in the next run', async () => {
    const { result, snapshots, fetch } = await fetchFile(serveFile({ body }, 100_000));
    assert.deepEqual([result.outcome, snapshots], ['failed', []]);
    assert.match(result.message ?? '', /^127\.0\.0\.1:\d+ closed the connection: run the command again later\.$/);
    publisher.offer('/register.csv', { body });
    const again = await fetch({ addresses: [`${publisher.url}/register.csv`] });
    assert.deepEqual(readFileSync(again.files[0]?.path ?? ''), body);
    assert.match(publisher.requests.at(-1)?.headers.range ?? '', /^bytes=[1-9]\d*-$/);
  });

  test('without an ETag and a date is never continued: the parts may be of different files', async () => {
    const offer = { body, etag: null };
    const { result, requests } = await fetchFile(inTurn(serveFile(offer, 100_000), serveFile(offer)));
    assert.deepEqual(readFileSync(result.files[0]?.path ?? ''), body);
    assert.equal(requests[1]?.headers.range, undefined);
  });

  test('that ends before its length, again and again, is not kept', async () => {
    const short: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, 5_000), () => response.socket?.end());
    };
    const { result, snapshots, requests } = await fetchFile(short);
    assert.deepEqual([result.outcome, snapshots, requests.length], ['failed', [], 3]);
    assert.match(result.message ?? '', /run the command again later\.$/);
  });

  test('with a length that never arrives ends after the time limit', async () => {
    const stuck: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': body.length + 1 });
      response.write(body);
    };
    const { result, snapshots } = await fetchFile(stuck, NO_DATA);
    assert.deepEqual([result.outcome, snapshots], ['failed', []]);
    assert.match(result.message ?? '', /sent less than 1000 bytes per second: run the command again later\.$/);
  });

  test('that never begins ends after the time limit', async () => {
    const { result, requests } = await fetchFile(() => {}, NO_RESPONSE);
    assert.match(result.message ?? '', /did not respond in time: run the command again later\.$/);
    assert.equal(requests.length, 3);
  });

  test('that is not http at all is given up', async () => {
    const { result } = await fetchFile((_request, response) => void response.socket?.end('220 ftp.example ready\r\n'));
    assert.match(result.message ?? '', /sent an invalid response: run the command again later\.$/);
  });

  test('that drips slowly is given up', async () => {
    const drip: Answer = (_request, response) => {
      response.writeHead(200, { etag: makeEtag(body) });
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    };
    const { result, snapshots } = await fetchFile(drip, NO_DATA);
    assert.deepEqual([result.outcome, snapshots], ['failed', []]);
    assert.match(result.message ?? '', /less than 1000 bytes per second/);
  });

  test('waits as long as the publisher asks (429, 503), but not for hours', async () => {
    for (const status of [429, 503]) {
      const busy: Answer = (_request, response) => void response.writeHead(status, { 'retry-after': '1' }).end();
      const started = performance.now();
      const { result } = await fetchFile(inTurn(busy, serveFile({ body })));
      assert.equal(result.outcome, 'new');
      assert.ok(performance.now() - started >= 1_000, `${status}`);
    }
    const closed: Answer = (_request, response) => void response.writeHead(503, { 'retry-after': '7200' }).end();
    const { result, requests } = await fetchFile(closed);
    assert.match(result.message ?? '', /answered 503 .* and asks to wait for 120 minutes: run the command again later/);
    assert.equal(requests.length, 1);
  });

  test('that is larger than the register can be is stopped', async () => {
    assert.ok(lv.fetch.kind === 'fixed');
    const register = { ...lv, fetch: { ...lv.fetch, size: { min: 1, max: 50_000 } } };
    const endless: Answer = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(Buffer.alloc(10_000, 'a')), 5);
      response.on('close', () => clearInterval(timer));
    };
    for (const answer of [endless, serveFile({ body })]) {
      const { result, snapshots } = await fetchFile(answer, { register });
      assert.deepEqual([result.outcome, snapshots], ['failed', []]);
      assert.match(result.message ?? '', /has more than 50,000 bytes, far more than the register: open https/);
    }
  });

  test('can be stopped', async () => {
    const { fetch, folder } = useFetching();
    const controller = new AbortController();
    publisher.offer('/register.csv', (_request, response) => {
      response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, 1_000));
      setTimeout(() => controller.abort(), 50);
    });
    const addresses = [`${publisher.url}/register.csv`];
    await assert.rejects(fetch({ addresses, signal: controller.signal }), { name: 'AbortError' });
    assert.throws(() => readFileSync(join(folder, 'lv', 'lock')), { code: 'ENOENT' });
  });
});
