import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ClickhouseFigures } from '../../bench/clickhouse/bench.ts';
import { run } from '../harness/process.ts';
import { skipped, startNodes } from './nodes.ts';

/** At a size that says nothing about speed. The benchmark fails if an answer differs from that of the index in memory. */
test('bench search --engine clickhouse measures loading, queries and changes', { skip: skipped }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  await using nodes = await startNodes(1);
  try {
    const env = { DATA_DIR: folder, CLICKHOUSE_URL: nodes.place('').hosts.join(',') };
    const options = ['--engine', 'clickhouse', '--rows', '17000', '--json'];
    const { code, stdout, stderr } = await run(['bench', 'search', ...options], env, folder);
    assert.equal(code, 0, stderr);
    const { load, bytes, classes, updates }: ClickhouseFigures = JSON.parse(stdout);
    assert.ok(load.cpuSeconds > 0 && bytes.all > bytes.indexes && bytes.indexes > 0);
    assert.equal(classes.length, 17);
    assert.ok(classes.every(({ queries, cpuMs, median }) => queries > 0 && cpuMs > 0 && median > 0));
    assert.deepEqual(
      updates.map(({ changes }) => changes),
      [1_000],
      'a larger change would be more than the store has to change',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
