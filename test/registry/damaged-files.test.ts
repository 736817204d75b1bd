import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../src/formats/rows.ts';
import { writeSynthetic } from '../../src/formats/write.ts';
import { registers } from '../../src/registers/index.ts';
import { recognizeFile } from '../../src/registry/recognize.ts';
import { runs } from '../harness/depth.ts';

/** One register for each format and packing: CSV in a zip, plain CSV, JSON, XML, a workbook, an archive of tables. */
const REGISTERS = ['gb', 'lv', 'fi', 'gleif', 'ua', 'md', 'be'];

/** Positions are a share of the length, so that they also hit the end of the file. */
const changes = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    kind: fc.constantFrom('replace', 'insert', 'remove', 'cut'),
  }),
  { minLength: 1, maxLength: 4 },
);

type Change = typeof changes extends fc.Arbitrary<(infer T)[]> ? T : never;

function damage(bytes: Buffer, { at, bytes: with_, kind }: Change): Buffer {
  const start = Math.floor(at * bytes.length);
  if (kind === 'cut') return bytes.subarray(0, start);
  const skipped = kind === 'insert' ? 0 : with_.length;
  const inserted = kind === 'remove' ? [] : [with_];
  return Buffer.concat([bytes.subarray(0, start), ...inserted, bytes.subarray(start + skipped)]);
}

for (const id of REGISTERS) {
  test(`${id}: a damaged file is read or refused with a FormatError`, { timeout: 600_000 }, async (context) => {
    const register = registers.find((one) => one.id === id) ?? assert.fail(id);
    const folder = mkdtempSync(join(tmpdir(), 'damaged-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = await writeSynthetic(folder, register.generate(20, 1));
    const original = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        writeFileSync(path, list.reduce(damage, original));
        try {
          const { parts, close } = await recognizeFile(path, register, []);
          try {
            for (const part of parts) {
              for await (const batch of part.read(() => undefined))
                for (const row of batch) assert.ok(row.value !== undefined);
            }
          } finally {
            await close();
          }
        } catch (error) {
          assert.ok(error instanceof FormatError, error as Error);
        }
      }),
      { numRuns: runs(20, 2_000) },
    );
  });
}
