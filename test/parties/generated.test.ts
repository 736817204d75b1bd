import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ee } from '../../src/registers/ee/register.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { importPartyTexts } from '../registers/party-files.ts';

for (const register of [ee, lv]) {
  test(`${register.id}: generated files of parties have all sets, no problems, and companies that own companies`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firmament-parties-'));
    try {
      const files: Record<string, Uint8Array> = {};
      for (const file of Object.values(generateParties(register, 200, 5))) {
        const path = await writeSynthetic(folder, file);
        files[basename(path)] = readFileSync(path);
      }
      const published = [...new Set(register.sources.flatMap(({ parties }) => parties?.set ?? []))];
      const names = await importPartyTexts(register, files, 'names');
      assert.deepEqual([names.result.problems, names.result.unknownColumns, names.result.skipped], [[], [], []]);
      assert.deepEqual([...new Set(names.parties.map(({ set }) => set))].sort(), published.toSorted());
      assert.ok(
        names.parties.some(({ role, partyRegister }) => role === 'shareholder' && partyRegister === register.id),
      );
      assert.ok(names.parties.some(({ content }) => content.kind === 'person'));
      assert.doesNotMatch(JSON.stringify(names.parties), /withheld: /);

      const organisations = await importPartyTexts(register, files, 'organisations');
      const isNamed = ({ content }: (typeof organisations.parties)[number]) => content.name !== null;
      const kinds = new Set(organisations.parties.filter(isNamed).map(({ content }) => content.kind));
      assert.deepEqual([...kinds], ['organisation']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('files of parties that are switched off are recorded as synthetic, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-parties-'));
  try {
    const files: Record<string, Uint8Array> = {};
    // One of them is packed.
    for (const file of [generateFile(ee, 20, 5), ...Object.values(generateParties(ee, 20, 5))]) {
      const path = await writeSynthetic(folder, file);
      files[basename(path)] = readFileSync(path);
    }
    const { result, parties } = await importPartyTexts(ee, files, 'off');
    assert.deepEqual(parties, []);
    const synthetic = result.warnings.filter((warning) => warning.includes('is synthetic'));
    assert.equal(synthetic.length, Object.keys(files).length, synthetic.join());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
