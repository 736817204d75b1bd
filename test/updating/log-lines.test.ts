import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLineForwarder } from '../../src/import/update/schedule/update-process.ts';

describe('log of an update process', () => {
  let time = 0;
  const lines: unknown[] = [];
  const log = {
    info: (...line: unknown[]) => void lines.push(['info', ...line]),
    warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
  };

  test('its records are records of the server, and its progress is one line per minute', () => {
    const forward = createLineForwarder(log, () => time);
    forward('{"level":30,"time":1,"register":"gb","msg":"done"}');
    forward('{"level":40,"time":1,"msg":"careful"}');
    forward('');
    for (time = 0; time < 120_000; time += 5_000) forward(`gb 12 MB of 40 MB, ${time}`);
    assert.deepEqual(lines, [
      ['info', { register: 'gb', from: 'update' }, 'done'],
      ['warn', { from: 'update' }, 'careful'],
      ['info', { progress: 'gb 12 MB of 40 MB, 0' }, 'update is running'],
      ['info', { progress: 'gb 12 MB of 40 MB, 60000' }, 'update is running'],
    ]);
  });

  test('neither many nor long lines fill the log', () => {
    lines.length = 0;
    const forward = createLineForwarder(log, () => 0);
    forward(`{"level":30,"msg":"${'x'.repeat(10_000)}"}`);
    forward('{not a record');
    for (let count = 0; count < 5_000; count++) forward('{"level":30,"msg":"again"}');
    assert.ok(lines.length <= 1_001);
    assert.ok(JSON.stringify(lines).length < 100_000);
  });
});
