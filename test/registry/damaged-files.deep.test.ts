import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../src/formats/rows.ts';
import { recognizeFile } from '../../src/import/reading/recognize.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
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

/** The rows of each source of the file, as JSON. */
async function readRows(path: string, register: Register): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  const { parts, close } = await recognizeFile(path, register);
  try {
    for (const { source, read } of parts) {
      const its: string[] = rows[source.name] ?? [];
      rows[source.name] = its;
      for await (const batch of read(() => undefined)) for (const row of batch) its.push(JSON.stringify(row.value));
    }
  } finally {
    await close();
  }
  return rows;
}

/** Damages the file, and returns where the damage begins. */
function damageAll(original: Buffer, list: readonly Change[]): { bytes: Buffer; from: number } {
  let bytes = original;
  let from = original.length;
  for (const change of list) {
    from = Math.min(from, Math.floor(change.at * bytes.length));
    bytes = damage(bytes, change);
  }
  return { bytes, from };
}

for (const id of REGISTERS) {
  test(`${id}: a damaged file is refused with a FormatError, or read with every row before the damage`, {
    timeout: 600_000,
  }, async (context) => {
    const register = registers.find((one) => one.id === id) ?? assert.fail(id);
    const folder = mkdtempSync(join(tmpdir(), 'damaged-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = await writeSynthetic(folder, generateFile(register, 20, 1));
    const original = readFileSync(path);
    const expected = await readRows(path, register);
    assert.ok(Object.values(expected).flat().length >= 20);
    // The checksums of an archive show every change of its content, so what can be read is complete.
    const isArchive = original.subarray(0, 2).toString() === 'PK';
    const [all = []] = Object.values(expected);
    /** Of a plain CSV file, the rows whose lines end before this position. */
    const countBefore = (position: number) =>
      Math.min(all.length, original.subarray(0, position).toString().split('\n').length - 1);
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const { bytes, from } = damageAll(original, list);
        writeFileSync(path, bytes);
        let rows: Record<string, string[]>;
        try {
          rows = await readRows(path, register);
        } catch (error) {
          assert.ok(error instanceof FormatError, error as Error);
          return;
        }
        if (isArchive) return assert.deepEqual(rows, expected);
        const intact = all.slice(0, countBefore(from));
        assert.deepEqual(Object.values(rows)[0]?.slice(0, intact.length), intact);
      }),
      { numRuns: runs(20, 300) },
    );
  });
}

test('random bytes are refused with a sentence that names the file and nothing that does not exist', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'random-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
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
      await assert.rejects(recognizeFile(path, register), (error) => {
        assert.ok(error instanceof FormatError, String(error));
        assert.match(error.message, /random\.bin/);
        assert.doesNotMatch(error.message, /lacks the column(?! ")|undefined|null/);
        return true;
      });
    }),
    { numRuns: runs(100, 2_000) },
  );
});
