import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SYNTHETIC_MARK, watchForMark } from '../../src/formats/synthetic-mark.ts';
import { openPackage } from '../../src/formats/unpack.ts';
import { openWorkbook } from '../../src/formats/xlsx.ts';
import { registers } from '../../src/registers/index.ts';
import type { SyntheticFile } from '../../synthetic/file.ts';
import { listGenerators } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { useFolder } from '../harness/use.ts';
import { collectBytes } from './feed.ts';

/** Reads the bytes in chunks of this size, and checks that they are passed on unchanged. */
async function isMarked(bytes: Uint8Array, chunkSize = bytes.length + 1): Promise<boolean> {
  let marked = false;
  async function* split() {
    for (let start = 0; start < bytes.length; start += chunkSize) yield bytes.subarray(start, start + chunkSize);
  }
  const passed = await collectBytes(watchForMark(split(), () => (marked = true)));
  assert.ok(Buffer.from(passed).equals(bytes));
  return marked;
}

describe('the mark of synthetic files', () => {
  const folder = useFolder();

  const files = registers.flatMap((register) =>
    listGenerators(register).map((generate, layout): [string, SyntheticFile] => [
      layout === 0 ? register.id : `${register.id}, other layout`,
      generate(3, 1),
    ]),
  );

  for (const [name, file] of files) {
    test(`${name}: each text and workbook in a generated file has it, so that unpacking and packing do not matter`, async () => {
      const path = await writeSynthetic(folder, file);
      if (file.content.type === 'xlsx') {
        const workbook = await openWorkbook(path);
        assert.equal(workbook.isSynthetic, true);
        await workbook.close();
        return;
      }
      const opened = await openPackage(path);
      assert.ok(opened.files.length > 0);
      for (const packed of opened.files) {
        assert.equal(await isMarked(Buffer.from(await collectBytes(packed.open()))), true, packed.name);
      }
      await opened.close();
    });
  }

  test('is found wherever it is, in chunks of any size, in one and two bytes per character', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', ';'), maxLength: 300 });
    const encoding = fc.constantFrom('latin1' as const, 'utf16le' as const);
    const check = async (before: string, after: string, coded: 'latin1' | 'utf16le', size: number) => {
      assert.equal(await isMarked(Buffer.from(`${before}x${SYNTHETIC_MARK}${after}`, coded), size), true);
      assert.equal(
        await isMarked(Buffer.from(`${before}x${SYNTHETIC_MARK.slice(0, -1)}y${after}`, coded), size),
        false,
      );
    };
    await fc.assert(fc.asyncProperty(text, text, encoding, fc.integer({ min: 1, max: 700 }), check), { numRuns: 200 });
  });

  test('survives the normalization of line ends', async () => {
    const generated = `a;b\r\n1;2\r\n${SYNTHETIC_MARK}`;
    const unix = generated.replaceAll('\r\n', '\n');
    assert.equal(await isMarked(Buffer.from(unix)), true);
    assert.equal(await isMarked(Buffer.from(unix.replaceAll('\n', '\r\n')), 7), true);
    assert.equal(await isMarked(Buffer.from(`{}${SYNTHETIC_MARK.replaceAll('\r', '')}`)), true);
  });

  test('other blank lines are not a mark', async () => {
    for (const count of [0, 1, 71, 74, 200]) {
      assert.equal(await isMarked(Buffer.from(`a;b${'\n'.repeat(count)}`)), false);
      assert.equal(await isMarked(Buffer.from(`a;b${'\r\n'.repeat(count)}`)), false);
    }
    assert.equal(await isMarked(Buffer.from('\n'.repeat(72))), false);
  });
});
