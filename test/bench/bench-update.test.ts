import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { UpdateFigures } from '../../bench/update/bench.ts';
import { run } from '../harness/process.ts';

/** Runs at a size that says nothing about speed. A run ends only if every change is found after its import. */
test('bench update follows imports and prints the figures as JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  try {
    const options = ['--entities', '3000', '--data', folder, '--rounds', '2', '--json'];
    const { code, stdout, stderr } = await run(['bench', 'update', ...options], { DATA_DIR: folder }, folder);
    assert.equal(code, 0, stderr);
    const { stores, bars }: UpdateFigures & { bars: { name: string; passed: boolean }[] } = JSON.parse(stdout);
    const [store] = stores;
    assert.ok(store !== undefined && stores.length === 1);
    assert.equal(store.entities, 3_180, '6 % more companies are imported, which then change');
    assert.deepEqual(
      store.updates.map(({ changes, rounds }) => [changes, rounds]),
      [[10, 2]],
      'larger changes would be more than an overlay holds',
    );
    for (const { servedSeconds, slowestSeconds, importSeconds } of store.updates) {
      assert.ok(importSeconds > 0 && servedSeconds > 0 && slowestSeconds >= servedSeconds);
    }
    const { fold, queries } = store;
    // A short fold may end before the first query, and within the millisecond in which the change is served.
    assert.ok(fold.overlayDocs > 0.02 * store.entities && fold.seconds >= 0, JSON.stringify(fold));
    assert.equal(queries.length, 14, 'one per class, and all together');
    assert.match(bars[0]?.name ?? '', /^3,180: 10 changes, served after$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('bench update rejects sizes that are not whole numbers', async () => {
  const { code, stderr } = await run(['bench', 'update', '--entities', '1000000,many']);
  assert.equal(code, 2);
  assert.match(stderr, /^--entities needs whole numbers of 1000 or more, with commas\./);
});
