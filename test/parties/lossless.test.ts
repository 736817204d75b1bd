import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { isTable } from '../../src/importing/reading/part.ts';
import { recognizeFile } from '../../src/importing/reading/recognize.ts';
import { nameColumns } from '../../src/importing/reading/table.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { engines } from '../harness/databases.ts';
import { realSample } from '../harness/real-samples.ts';
import { startService, type TestService } from '../harness/service.ts';
import { parseSourceData } from '../harness/source-data.ts';

interface Stored {
  readonly place: number;
  readonly text: string;
  readonly columns: string | null;
}

/** Compares every row of a file with what the store has of it. */
async function compareRows({ services }: TestService, path: string): Promise<number> {
  const rows = await services.registryDb.all<Stored>(
    `SELECT p.place, p.source_data AS text, l.columns FROM parties p JOIN files f ON f.id = p.file_id
      LEFT JOIN layouts l ON l.id = p.layout WHERE f.name = $1`,
    [path.split('/').at(-1) ?? ''],
  );
  const stored = new Map(rows.map(({ place, text, columns }) => [place, parseSourceData(text, columns)]));
  const { parts, close } = await recognizeFile(path, gleif, registers);
  for (const part of parts) {
    const names = isTable(part) ? nameColumns(part.header) : [];
    for await (const batch of part.read(() => undefined)) {
      for (const { place, value } of batch) {
        if (isTable(part) && place <= part.header.place) continue;
        const expected = isTable(part)
          ? Object.fromEntries(names.map((name, index) => [name, (value as readonly string[])[index] ?? '']))
          : JSON.parse(JSON.stringify(value));
        assert.deepEqual(stored.get(place), expected, `${path}, row ${place}`);
      }
    }
  }
  await close();
  return stored.size;
}

for (const engine of engines) {
  test(`every cell of generated files is kept on ${engine}, and every parent is linked`, async () => {
    await using service = await startService(engine);
    const { registryDb, registry } = service.services;
    const companies = await writeSynthetic(service.database.dataDir, generateFile(gleif, 300, 3));
    const paths = [companies];
    for (const file of Object.values(generateParties(gleif, 300, 3))) {
      paths.push(await writeSynthetic(service.database.dataDir, file));
    }
    const result = await importFiles(registryDb, service.clock, { register: gleif, registers, paths });
    assert.ok(result.synthetic);
    assert.deepEqual([result.problems, result.unknownColumns], [[], []]);
    const counts = await Promise.all(paths.slice(1).map((path) => compareRows(service, path)));
    assert.ok(counts.every((count) => count > 100));
    const [child] = await registryDb.all<{ id: string }>(
      `SELECT e.id FROM parties p JOIN entities e ON e.registration_number = p.company
        WHERE p.role = 'parent' AND p.party_number IS NOT NULL AND p.is_current = 1 LIMIT 1`,
    );
    const parties = await registry.parties.list(child?.id ?? '', { role: 'parent' });
    assert.ok(parties?.parties.every(({ entityId, name }) => entityId !== null && name !== null));
  });
}

const samples = ['gleif/rr-data.xml', 'gleif/repex-data.xml'].map(realSample).filter((path) => path !== undefined);
if (samples.length > 0) {
  test('every value of the real samples is kept', async () => {
    await using service = await startService('sqlite');
    await importFiles(service.services.registryDb, service.clock, { register: gleif, registers, paths: samples });
    for (const path of samples) assert.equal(await compareRows(service, path), 10);
  });
}

test('by default, the store has what registers published: no cell of any generated file is withheld', async () => {
  await using service = await startService('sqlite');
  const { registryDb } = service.services;
  for (const register of registers) {
    const files = [generateFile(register, 40, 3), ...Object.values(generateParties(register, 40, 3))];
    const paths: string[] = [];
    for (const file of files) paths.push(await writeSynthetic(service.database.dataDir, file));
    await importFiles(registryDb, service.clock, { register, registers, paths, mode: 'full' });
  }
  for (const table of ['entities', 'parties'] as const) {
    const marked = await registryDb.all(
      `SELECT register, count(*) AS rows FROM ${table} WHERE source_data LIKE '%withheld: %' GROUP BY register`,
    );
    assert.deepEqual(marked, [], table);
  }
  const named = await registryDb.all<{ register: string }>(
    'SELECT register FROM parties WHERE is_person = 1 AND content NOT LIKE \'%"name":null%\' GROUP BY register ORDER BY register',
  );
  assert.deepEqual(
    named.map(({ register }) => register),
    ['br', 'ee', 'gb', 'lv', 'md', 'no', 'ro', 'ua'],
  );
});
