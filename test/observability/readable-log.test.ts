import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFileLog, createReadableLog } from '../../src/observability/log.ts';

const REQUEST = {
  requestId: '7d3c1c3e-5b0f-4b0a-9e53-0a5a3f6f1a11',
  method: 'GET',
  route: '/api/v1/entities',
  status: 200,
  durationMs: 1.9,
  address: '127.0.0.1',
  accountId: null,
  keyId: null,
  aborted: false,
};

/** A terminal without colours. */
function createScreen() {
  let shown = '';
  const stream = new PassThrough({ encoding: 'utf8' });
  stream.on('data', (text) => {
    shown += text;
  });
  return { stream, read: () => shown.replaceAll(/^\d\d:\d\d:\d\d /gm, '') };
}

test('a log for people has one short line per request, and errors with their stack', async () => {
  const screen = createScreen();
  const { log } = createReadableLog('info', screen.stream);
  log.writeRequest(REQUEST);
  log.writeRequest({ ...REQUEST, status: 404, aborted: true });
  log.info({ registers: ['lv'], requestId: 'x' }, 'sample data imported');
  log.warn('no colours');
  log.debug('hidden');
  log.error({ err: new Error('bad \x1b[2J bytes') }, 'failed');
  await nextTurn();
  const [first, second, third, fourth, fifth, sixth] = screen.read().split('\n');
  assert.deepEqual(
    [first, second, third, fourth, fifth, sixth],
    [
      'info    200 GET /api/v1/entities 1.9 ms',
      'info    404 GET /api/v1/entities 1.9 ms aborted',
      'info    sample data imported {"registers":["lv"]}',
      'warning no colours',
      'error   failed',
      '    Error: bad \\u{1b}[2J bytes',
    ],
  );
});

describe('a log in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-log-'));
  const file = join(folder, 'server.log');
  after(() => rmSync(folder, { recursive: true }));

  test('has every line as JSON, also of other threads, and only warnings are shown', async () => {
    const screen = createScreen();
    const { log, relay, close } = createFileLog('info', file, screen.stream);
    log.info('starting');
    log.writeRequest(REQUEST);
    log.warn('look at this');
    const ofThread = [
      '{"level":30,"time":0,"worker":2,"msg":"calm"}',
      '{"level":50,"time":0,"worker":2,"msg":"broken"}',
    ];
    relay(Buffer.from(`${ofThread.join('\n')}\n`));
    await close();
    const messages = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(messages.toSorted(), ['broken', 'calm', 'look at this', 'request', 'starting']);
    assert.equal(screen.read(), 'warning look at this\nerror   broken {"worker":2}\n');
    assert.equal(statSync(file).mode & 0o077, 0, 'other users can read it');
  });

  test('is put aside at the start when it is large', async () => {
    writeFileSync(file, '');
    truncateSync(file, 17 * 1024 * 1024);
    const { log, close } = createFileLog('info', file, createScreen().stream);
    log.info('after');
    await close();
    assert.ok(statSync(file).size < 1_000);
    assert.equal(statSync(`${file}.old`).size, 17 * 1024 * 1024);
  });
});
