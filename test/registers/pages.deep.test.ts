import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderPages } from '../../scripts/generated-docs.ts';

test('the pages of the registers and of statuses say what the mappings do', async () => {
  for (const [path, text] of await renderPages()) {
    const written = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.ok(written === text, `${path} is out of date: run "npm run generate:docs"`);
  }
});
