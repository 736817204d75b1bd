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

test('every escape of the text format is decoded, wherever a chunk ends', async () => {
  // In the order of PostgreSQL's documentation of COPY. Any other character after a backslash stands for itself.
  const encoded = Buffer.from('a\\bb\\fc\\nd\\re\\tf\\vg\\\\h\\"i\t\\N\t\té\n\\N\t\\\\N\n');
  const decoded = Buffer.concat([
    Buffer.from('a\bb\fc\nd\re\tf\vg\\h"i\0'),
    Buffer.from([0xff]),
    Buffer.from('\0\0é\0'),
    Buffer.from([0xff]),
    Buffer.from('\0\\N\0'),
  ]);
  for (let cut = 1; cut < encoded.length; cut++) {
    async function* chunks() {
      yield Buffer.from(encoded.subarray(0, cut));
      yield Buffer.from(encoded.subarray(cut));
    }
    assert.deepEqual(Buffer.concat(await Array.fromAsync(decodeCopy(chunks()))), decoded);
  }
});
