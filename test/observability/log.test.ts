import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail } from '../../src/base/errors.ts';
import { createErrorLog } from '../../src/base/observability/error-log.ts';
import { createFileLog, createReadableLog, createRequestRecorder } from '../../src/base/observability/log.ts';
import { useFolder } from '../harness/use.ts';

const REQUEST = {
  requestId: '7d3c1c3e-5b0f-4b0a-9e53-0a5a3f6f1a11',
  method: 'GET',
  route: '/api/v1/entities',
  status: 200,
  durationMs: 1.9,
  address: '127.0.0.1',
  accountId: null,
  keyId: null,
  aborted: undefined,
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
  const record = createRequestRecorder(log, { observeRequest: () => undefined });
  record(REQUEST);
  record({ ...REQUEST, status: 404, aborted: true });
  log.info({ registers: ['lv'], requestId: 'x' }, 'sample data imported');
  log.warn('no colours');
  log.debug('hidden');
  log.error({ err: new Error('bad \x1b[2J bytes') }, 'failed');
  await nextTurn();
  const [first, second, third, fourth, fifth, sixth] = screen.read().split('\n');
  assert.deepEqual(
    [first, second, third, fourth, fifth, sixth],
    [
      'info  200 GET /api/v1/entities 1.9 ms',
      'info  404 GET /api/v1/entities 1.9 ms aborted',
      'info  sample data imported {"registers":["lv"]}',
      'warn  no colours',
      'error failed',
      '    Error: bad \\u{1b}[2J bytes',
    ],
  );
});

describe('a log in a file', () => {
  const file = join(useFolder(), 'server.log');

  test('has every line as JSON, also of other threads, and only warnings are shown', async () => {
    const screen = createScreen();
    const { log, relay, close } = createFileLog('info', file, screen.stream);
    log.info('starting');
    createRequestRecorder(log, { observeRequest: () => undefined })(REQUEST);
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
    assert.equal(screen.read(), 'warn  look at this\nerror broken {"worker":2}\n');
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

const timeOut = () => fail('service_unavailable', { cause: new Error('the meter timed out') });
const crash = (reason: string) => fail('internal_error', { cause: new Error(reason) });

interface Line {
  readonly fields: {
    readonly requestId: string;
    readonly err?: Error;
    readonly count?: number;
    readonly reason?: string;
  };
  readonly message: string;
}

function startLog() {
  const [lines, warnings]: [Line[], Line[]] = [[], []];
  const writeTo = (list: Line[]) =>
    ((fields: Line['fields'], message: string) => list.push({ fields, message })) as never;
  return { lines, warnings, errorLog: createErrorLog({ error: writeTo(lines), warn: writeTo(warnings) }) };
}

describe('the log of failed requests', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  test('what the operator has not set up is a warning without a stack, one line per ten seconds', () => {
    const { lines, warnings, errorLog } = startLog();
    const report = () => errorLog.report(fail('webhooks_unavailable', { missing: 'WEBHOOK_KEY' }), 'r');
    for (let count = 0; count < 3; count++) report();
    mock.timers.tick(10_000);
    const [first, repeated] = warnings;
    assert.deepEqual([lines.length, warnings.length], [0, 2]);
    assert.deepEqual(first?.fields, { requestId: 'r', reason: 'WEBHOOK_KEY' });
    assert.deepEqual(repeated?.fields, { count: 2, seconds: 10, requestId: 'r', reason: 'WEBHOOK_KEY' });
  });

  test('the first error is logged with its stack, a thousand like it become one line per ten seconds', () => {
    const { lines, errorLog } = startLog();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 1_000; count++) errorLog.report(timeOut(), `${round} ${count}`);
      mock.timers.tick(10_000);
    }
    const [first, ...repeated] = lines;
    assert.equal(first?.fields.err?.message, 'the meter timed out');
    assert.equal(first?.fields.requestId, '0 0');
    assert.deepEqual(
      repeated.map(({ fields, message }) => ({ ...fields, message })),
      [999, 1_000, 1_000].map((count, round) => ({
        count,
        seconds: 10,
        requestId: `${round} 999`,
        reason: 'the meter timed out',
        message: `${first?.message} (repeated)`,
      })),
    );
  });

  test('after a quiet interval, the next error has its stack again', () => {
    const { lines, errorLog } = startLog();
    const report = () => errorLog.report(timeOut(), 'id');
    report();
    mock.timers.tick(10_000);
    report();
    assert.equal(lines.length, 2);
    for (const { fields } of lines) assert.ok(fields.err);
    mock.timers.tick(60_000);
    assert.equal(lines.length, 2);
  });

  test('errors from different places are logged separately, up to a limit', () => {
    const { lines, errorLog } = startLog();
    errorLog.report(timeOut(), 'id');
    errorLog.report(crash('a bug'), 'id');
    assert.deepEqual(
      lines.map(({ fields }) => fields.err?.message),
      ['the meter timed out', 'a bug'],
    );
    for (let place = 0; place < 500; place++) {
      const failure = crash('a bug');
      (failure.cause as Error).stack = `Error\n    at place ${place}`;
      errorLog.report(failure, 'id');
    }
    assert.equal(lines.length, 101);
    mock.timers.tick(10_000);
    assert.equal(lines.length, 102, 'all others share one line');
  });

  test('errors with different codes from the same place are logged separately', () => {
    const { lines, errorLog } = startLog();
    const report = (code: string) => {
      const cause = Object.assign(new Error(`SQLSTATE ${code}`), { code });
      errorLog.report(fail('internal_error', { cause }), 'id');
    };
    for (const code of ['42P01', '42703', '42P01']) report(code);
    assert.deepEqual(
      lines.map(({ fields }) => fields.err?.message),
      ['SQLSTATE 42P01', 'SQLSTATE 42703'],
    );
  });

  test('closing writes the pending count', () => {
    const { lines, errorLog } = startLog();
    for (let count = 0; count < 3; count++) errorLog.report(timeOut(), 'id');
    errorLog.close();
    assert.equal(lines[1]?.fields.count, 2);
    mock.timers.tick(60_000);
    assert.equal(lines.length, 2);
  });
});
