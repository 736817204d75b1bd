import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../src/observability/log.ts';
import { runs } from '../harness/depth.ts';

const line = fc.record({
  requestId: fc.uuid(),
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'M-SEARCH'),
  route: fc.constantFrom('/api/v1/entities/:id', '/countries/:code', 'unmatched', '/assets/*'),
  status: fc.integer({ min: 100, max: 599 }),
  durationMs: fc.integer({ min: 0, max: 1e10 }).map((microseconds) => microseconds / 1_000),
  address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('')),
  accountId: fc.option(fc.uuid()),
  keyId: fc.option(fc.uuid()),
  aborted: fc.boolean(),
});

const threads: readonly (object | null)[] = [null, { thread: 2 }, { thread: 0, name: 'a "b"\n' }];

test('the line of a request is the one that pino writes for the same fields', () =>
  fc.assert(
    fc.property(line, fc.constantFrom(...threads), (fields, thread) => {
      const lines: string[] = [];
      const { log } = createLog('info', { write: (text: string) => void lines.push(text) }, thread);
      log.writeRequest(fields);
      const { aborted, ...others } = fields;
      log.info({ ...others, ...(aborted && { aborted }) }, 'request');
      const [ours, theirs] = lines.map((text) => text.replace(/"time":\d+/, '"time":0'));
      assert.equal(ours, theirs);
      assert.ok(Math.abs(JSON.parse(lines[0] ?? '').time - Date.now()) < 3_600_000);
    }),
    { numRuns: runs(100, 5_000) },
  ));

test('it is written only at levels that include it', () => {
  const requests = {
    requestId: '',
    method: 'GET',
    route: '/',
    status: 200,
    durationMs: 1,
    address: '',
    aborted: false,
  };
  for (const [level, expected] of [
    ['debug', 1],
    ['info', 1],
    ['warn', 0],
    ['silent', 0],
  ] as const) {
    const lines: string[] = [];
    const { log } = createLog(level, { write: (text: string) => void lines.push(text) });
    log.writeRequest({ ...requests, accountId: null, keyId: null });
    assert.equal(lines.length, expected, level);
  }
});
