import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCopy } from '../../src/db/copy.ts';

test('a decoded chunk can be transferred to another thread before the next one is read', async () => {
  const row = Buffer.from('0123456789\tabcdefghij\n');
  const chunk = Buffer.alloc(row.length * 4_000, row);
  async function* chunks() {
    for (let at = 0; at < 3; at++) yield Buffer.from(chunk);
  }
  let bytes = 0;
  for await (const decoded of decodeCopy(chunks())) {
    bytes += decoded.length;
    structuredClone(decoded.buffer, { transfer: [decoded.buffer as ArrayBuffer] });
  }
  assert.equal(bytes, 3 * chunk.length);
});
