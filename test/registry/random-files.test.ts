import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../src/formats/rows.ts';
import { recognizeFile } from '../../src/importing/reading/recognize.ts';
import { registers } from '../../src/registers/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'firmament-random-'));
after(() => rmSync(folder, { recursive: true }));

test('random bytes are refused with a sentence that names the file and nothing that does not exist', async () => {
  const path = join(folder, 'random.bin');
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
    // Texts that start like CSV, JSON or XML.
    fc
      .tuple(fc.constantFrom('a;b,c\n', '{"', '[', '<a', '"'), fc.string())
      .map(([start, rest]) => Buffer.from(start + rest)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom(...registers), async (content, register) => {
      writeFileSync(path, content);
      await assert.rejects(recognizeFile(path, register, registers), (error) => {
        assert.ok(error instanceof FormatError, String(error));
        assert.match(error.message, /random\.bin/);
        assert.doesNotMatch(error.message, /lacks the column(?! ")|undefined|null/);
        return true;
      });
    }),
    { numRuns: 100 },
  );
});
