import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HttpFigures } from '../../bench/http/bench.ts';
import type { ScaleFigures } from '../../bench/scale/bench.ts';
import { run } from '../harness/process.ts';

/** Runs at a size that says nothing about speed. A run fails if any answer is not 200. */
test('bench http compares with a bare server and prints the figures as JSON', { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  const options = ['--rows', '500', '--seconds', '1', '--rounds', '1', '--keys', '500', '--no-postgres', '--json'];
  try {
    const { code, stdout, stderr } = await run(['bench', 'http', ...options], { DATA_DIR: folder }, folder);
    assert.equal(code, 0, stderr);
    const figures: HttpFigures & { bars: { passed: boolean }[] } = JSON.parse(stdout);
    assert.deepEqual(
      figures.measurements.map(({ engine, endpoint }) => `${engine} ${endpoint}`),
      ['sqlite search', 'sqlite detail', 'sqlite countries'],
    );
    for (const { endpoint, ours, bare, ratio, bytes, answers, charged } of figures.measurements) {
      assert.ok(bytes > 100 && ratio > 0, endpoint);
      assert.equal(charged, answers, `${endpoint}: every answer is charged, and nothing else`);
      for (const { perSecond, p50Ms, p99Ms } of [ours, bare]) {
        assert.ok(perSecond > 0 && p50Ms > 0 && p99Ms >= p50Ms, endpoint);
      }
    }
    assert.equal(figures.bars.length, 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('bench scale compares several threads with one and prints the figures as JSON', {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  const options = ['--rows', '500', '--seconds', '1', '--rounds', '1', '--keys', '500', '--no-postgres', '--json'];
  try {
    const { code, stdout, stderr } = await run(['bench', 'scale', ...options], { DATA_DIR: folder }, folder);
    assert.equal(code, 0, stderr);
    const { measurements }: ScaleFigures = JSON.parse(stdout);
    assert.deepEqual(
      measurements.map(({ endpoint, sides }) => [endpoint, ...sides.map(({ workers }) => workers)]),
      [
        ['search', 1, 2],
        ['detail', 1, 2],
      ],
    );
    for (const { endpoint, sides, ratio, answers, charged } of measurements) {
      assert.ok(ratio > 0 && sides.every(({ perSecond, gc }) => perSecond > 0 && gc > 0), endpoint);
      assert.equal(charged, answers, `${endpoint}: every answer is charged, and nothing else`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
