import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { lv } from '../../src/registers/lv/register.ts';
import { makeFile, NO_DATA, NO_RESPONSE, useFetching } from './fetching.ts';
import { type Answer, makeEtag, serveFile, usePublisher } from './publisher.ts';

/** Answers the first requests differently from the later ones. */
function inTurn(...answers: readonly Answer[]): Answer {
  let count = 0;
  return (request, response) => answers[Math.min(count++, answers.length - 1)]?.(request, response);
}

/** Answers ranges, sends ten bytes at once, and then one byte now and then. */
function drip(body: Buffer): Answer {
  return (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` };
    response.writeHead(start === 0 ? 200 : 206, { etag: makeEtag(body), ...(start > 0 && range) });
    let at = start + 10;
    response.write(body.subarray(start, at));
    const timer = setInterval(() => response.write(body.subarray(at, ++at)), 20);
    response.on('close', () => clearInterval(timer));
  };
}

describe('a download', () => {
  const publisher = usePublisher();
  let body: Buffer;
  before(async () => {
    body = await makeFile(2_000);
  });

  async function fetchFile(answer: Answer, settings = {}) {
    const fetching = useFetching();
    publisher.offer('/register.csv', answer);
    const from = publisher.requests.length;
    const result = await fetching.fetch({ addresses: [`${publisher.url}/register.csv`], ...settings });
    const { snapshots } = await fetching.state();
    return { ...fetching, result, snapshots, requests: publisher.requests.slice(from) };
  }

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

  test('with a length that never arrives ends after the time limit', async () => {
    const stuck: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': body.length + 1 });
      response.write(body);
    };
    const { result, snapshots } = await fetchFile(stuck, NO_DATA);
    assert.deepEqual([result.outcome, snapshots], ['failed', []]);
    assert.match(result.message ?? '', /did not respond in time: run the command again later\.$/);
  });

  test('that never begins ends after the time limit', async () => {
    const { result, requests } = await fetchFile(() => {}, NO_RESPONSE);
    assert.match(result.message ?? '', /did not respond in time: run the command again later\.$/);
    assert.equal(requests.length, 3);
  });

  test('waits as long as the publisher asks (503), but not for hours', async () => {
    const busy: Answer = (_request, response) => void response.writeHead(503, { 'retry-after': '1' }).end();
    const started = performance.now();
    assert.equal((await fetchFile(inTurn(busy, serveFile({ body })))).result.outcome, 'new');
    assert.ok(performance.now() - started >= 1_000);
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

  for (const [limit, words] of [
    ['fileMs', /^127\.0\.0\.1:\d+ did not send the file register\.csv within 1 minutes: run the command again, and it/],
    ['registerMs', /^The publisher did not send all files within 1 minutes: run the command again, and it continues/],
  ] as const) {
    test(`is given up after the time in ${limit}, and what it sent is kept`, async () => {
      const { fetch, state } = useFetching();
      const addresses = [`${publisher.url}/register.csv`];
      publisher.offer('/register.csv', drip(body));
      const from = publisher.requests.length;
      const readOffset = () => Number(/\d+/.exec(publisher.requests.at(-1)?.headers.range ?? '')?.[0] ?? 0);
      // On a busy machine the time may be over before the first byte.
      do {
        const { outcome, message } = await fetch({ addresses, limits: { [limit]: 300 } });
        assert.equal(outcome, 'failed');
        assert.match(message ?? '', words);
        assert.deepEqual((await state()).snapshots, []);
      } while (publisher.requests.length <= from || readOffset() < 20);
      publisher.offer('/register.csv', serveFile({ body }));
      const { outcome, files } = await fetch({ addresses });
      assert.equal(outcome, 'new');
      assert.ok(readOffset() >= 20);
      assert.deepEqual(readFileSync(files[0]?.path ?? ''), body);
    });
  }

  test('whose check gets no answer is given up, too', async () => {
    publisher.offer('/register.csv', () => {});
    const addresses = [`${publisher.url}/register.csv`];
    const { outcome, message } = await useFetching().fetch({ addresses, limits: { registerMs: 300 }, checkOnly: true });
    assert.equal(outcome, 'failed');
    assert.match(message ?? '', /^The publisher did not send all files within 1 minutes/);
  });

  test('is given up at its time limit although the pause that it asked for is not over', async () => {
    publisher.offer(
      '/register.csv',
      (_request, response) => void response.writeHead(503, { 'retry-after': '30' }).end(),
    );
    const limits = { fileMs: 300, maxPauseMs: 60_000 };
    const { message } = await useFetching().fetch({ addresses: [`${publisher.url}/register.csv`], limits });
    assert.match(message ?? '', /did not send the file register\.csv within 1 minutes/);
  });
});
