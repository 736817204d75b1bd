import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { isTable, nameColumns } from '../../src/import/reading/part.ts';
import { recognizeFile } from '../../src/import/reading/recognize.ts';
import type { Register } from '../../src/registers/contract.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { realSample } from '../harness/real-samples.ts';
import { startService, type TestService } from '../harness/service.ts';
import { parseSourceData } from '../harness/source-data.ts';

interface Stored {
  readonly place: number;
  readonly text: string;
  readonly columns: string | null;
}

/** Compares every row of a file with what the store has of it. */
async function compareRows({ services }: TestService, register: Register, path: string): Promise<number> {
  const rows = await services.registryDb.all<Stored>(
    `SELECT p.place, p.source_data AS text, l.columns FROM parties p JOIN files f ON f.id = p.file_id
      LEFT JOIN layouts l ON l.id = p.layout WHERE f.name = $1`,
    [path.split('/').at(-1) ?? ''],
  );
  const stored = new Map(rows.map(({ place, text, columns }) => [place, parseSourceData(text, columns)]));
  const { parts, close } = await recognizeFile(path, register);
  for (const part of parts) {
    const names = isTable(part) ? nameColumns(part.header) : [];
    for await (const batch of part.read(() => undefined)) {
      for (const { place, value } of batch) {
        if (isTable(part) && place <= part.header.place) continue;
        if (JSON.stringify(value).includes('totals#')) continue;
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

for (const engine of usualEngines) {
  for (const register of [gleif, ee, lv])
    test(`${register.id}: every cell of generated parties is kept on ${engine}, and companies are linked`, async () => {
      await using service = await startService(engine);
      const { registryDb, registry } = service.services;
      const companies = await writeSynthetic(service.database.dataDir, generateFile(register, 300, 3));
      const paths = [companies];
      for (const file of Object.values(generateParties(register, 300, 3)))
        paths.push(await writeSynthetic(service.database.dataDir, file));
      const result = await importFiles(registryDb, service.clock, { register, registers, paths });
      assert.ok(result.synthetic);
      assert.deepEqual([result.problems, result.unknownColumns, result.skipped], [[], [], []]);
      const stored = await registryDb.all<{ set: string }>('SELECT DISTINCT set_name AS "set" FROM parties ORDER BY 1');
      const published = [...new Set(register.sources.flatMap(({ parties }) => parties?.set ?? []))];
      assert.deepEqual(
        stored.map(({ set }) => set),
        published.sort(),
      );
      // A record of Estonia has all parties of a company.
      const counts = await Promise.all(
        paths.slice(1).map((path) => (register === ee ? 1 : compareRows(service, register, path))),
      );
      assert.ok(counts.every((count) => count > 0) && counts.length > 0);
      const [child] = await registryDb.all<{ id: string }>(
        `SELECT e.id FROM parties p JOIN entities e ON e.registration_number = p.company
          JOIN entities linked ON linked.registration_number = p.party_number
          WHERE p.party_register = e.register AND p.is_current = 1 LIMIT 1`,
      );
      const parties = await registry.parties.list(child?.id ?? '', {});
      assert.ok(parties?.parties.some(({ entityId, name }) => entityId !== null && name !== null));
    });
}

const samples: readonly (readonly [Register, string, rows: number])[] = [
  [gleif, 'gleif/rr-data.xml', 10],
  [gleif, 'gleif/repex-data.xml', 10],
  [gb, 'gb/psc_snapshot_sample.txt', 21],
  [lv, 'lv/beneficial_owners.csv', 118],
];
for (const [register, name, rows] of samples) {
  const path = realSample(name);
  if (path === undefined) continue;
  test(`every value of the real sample ${name} is kept`, async () => {
    await using service = await startService('sqlite');
    const { registryDb } = service.services;
    await importFiles(registryDb, service.clock, { register, registers, paths: [path], mode: 'partial' });
    assert.equal(await compareRows(service, register, path), rows);
  });
}

test('files of parties that are switched off are recorded as synthetic, too', async () => {
  await using service = await startService('sqlite');
  const { registryDb } = service.services;
  // One of them is packed.
  const files = [generateFile(ee, 20, 5), ...Object.values(generateParties(ee, 20, 5))];
  const paths = await Promise.all(files.map((file) => writeSynthetic(service.database.dataDir, file)));
  const parties = { all: 'off', exceptions: {} } as const;
  const { warnings } = await importFiles(registryDb, service.clock, { register: ee, registers, paths, parties });
  assert.deepEqual(await registryDb.all('SELECT id FROM parties'), []);
  const synthetic = warnings.filter((warning) => warning.includes('is synthetic'));
  assert.equal(synthetic.length, files.length, synthetic.join());
});
