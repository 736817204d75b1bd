import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardRecord } from '../../src/import/update/schedule/update-process.ts';

test('records of an update process are records of the server; its progress and long lines are not logged', () => {
  const lines: unknown[] = [];
  const log = {
    info: (...line: unknown[]) => void lines.push(['info', ...line]),
    warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
  };
  for (const line of [
    '{"level":30,"time":1,"register":"gb","msg":"done"}',
    '{"level":40,"time":1,"msg":"careful"}',
    '',
    'gb 12 MB of 40 MB',
    '{not a record',
    `{"level":30,"msg":"${'x'.repeat(10_000)}"}`,
  ])
    forwardRecord(line, log);
  assert.deepEqual(lines, [
    ['info', { register: 'gb', from: 'update' }, 'done'],
    ['warn', { from: 'update' }, 'careful'],
  ]);
});
