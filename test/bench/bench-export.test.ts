import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExportFigures } from '../../bench/export/bench.ts';
import { run } from '../harness/process.ts';

/** Runs at a size that says nothing about speed. */
test('bench export writes every format beside a server and prints the figures as JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  try {
    const options = ['--rows', '1000', '--seconds', '1', '--keys', '200', '--only-ours', '--json'];
    const { code, stdout, stderr } = await run(['bench', 'export', ...options], { DATA_DIR: folder }, folder);
    assert.equal(code, 0, stderr);
    const figures: ExportFigures & { bars: { name: string; passed: boolean }[] } = JSON.parse(stdout);
    const { entities, formats, server, rivals, bars } = figures;
    assert.equal(entities, 1_000);
    assert.deepEqual(
      formats.map(({ format, rows }) => [format, rows]),
      [
        ['parquet', 1_000],
        ['ndjson', 1_000],
        ['csv', 1_000],
      ],
    );
    for (const { perSecond, cpuMicros, peakMegabytes, bytes } of formats) {
      assert.ok(perSecond > 0 && cpuMicros > 0 && peakMegabytes > 10 && bytes > 0);
    }
    assert.ok(server.usualP99Ms > 0 && server.exportingP99Ms > 0 && server.answers > 0);
    assert.deepEqual(rivals, []);
    assert.deepEqual(
      bars.map(({ name }) => name),
      ['parquet', 'parquet, peak memory', 'ndjson', 'p99 of a server during an export'],
    );
    assert.equal(readdirSync(join(folder, 'bench', 'export-1000')).includes('exported'), false, 'exports are removed');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
