import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportFormats, MANIFEST, parseManifest } from '../../src/exports/manifest.ts';

test('a manifest of this version is read, anything else is refused', () => {
  for (const format of exportFormats) {
    assert.equal(parseManifest(JSON.stringify({ manifestVersion: 1, format })).format, format);
  }
  const others = ['{}', '{"manifestVersion":2,"format":"csv"}', '{"manifestVersion":1,"format":"xlsx"}', '{'];
  for (const text of others) assert.throws(() => parseManifest(text), Error, text);
  assert.equal(MANIFEST, 'manifest.json');
});
