import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { makeFile, useFetching } from './fetching.ts';
import { type Answer, makeEtag, type Publisher, serveFile, startPublisher } from './publisher.ts';

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

describe('a publisher that is just fast enough', () => {
  let publisher: Publisher;
  let body: Buffer;
  before(async () => {
    publisher = await startPublisher();
    body = await makeFile(2_000);
  });
  after(() => publisher.close());

  const PATIENT = { minBytesPerSecond: 0 };

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
        const { outcome, message } = await fetch({ addresses, limits: { ...PATIENT, [limit]: 300 } });
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

  test('that does not answer a check is given up, too', async () => {
    publisher.offer('/register.csv', () => {});
    const addresses = [`${publisher.url}/register.csv`];
    const { outcome, message } = await useFetching().fetch({ addresses, limits: { registerMs: 300 }, checkOnly: true });
    assert.equal(outcome, 'failed');
    assert.match(message ?? '', /^The publisher did not send all files within 1 minutes/);
  });

  test('is given up although the pause that it asked for is not over', async () => {
    publisher.offer(
      '/register.csv',
      (_request, response) => void response.writeHead(503, { 'retry-after': '30' }).end(),
    );
    const limits = { fileMs: 300, maxPauseMs: 60_000 };
    const { message } = await useFetching().fetch({ addresses: [`${publisher.url}/register.csv`], limits });
    assert.match(message ?? '', /did not send the file register\.csv within 1 minutes/);
  });

  test('does not hide that the fetch was stopped', async () => {
    const controller = new AbortController();
    publisher.offer('/register.csv', () => controller.abort());
    const addresses = [`${publisher.url}/register.csv`];
    await assert.rejects(useFetching().fetch({ addresses, signal: controller.signal }), { name: 'AbortError' });
  });
});
