import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { generateRecords } from '../../synthetic/registers/gb-parties.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { startService } from '../harness/service.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';

const [ROWS, SEED] = [12_000, 5];

test('links of corporate owners are right in at least 99 of 100, and every row is lossless', async (t) => {
  await using service = await startService('sqlite');
  const { registryDb } = service.services;
  const paths: string[] = [];
  const { dataDir } = service.database;
  paths.push(await writeSynthetic(dataDir, generateFile(gb, ROWS, SEED)));
  // Not packed, they are large enough to be mapped by a thread.
  for (const file of Object.values(generateParties(gb, ROWS, SEED)))
    paths.push(await writeSynthetic(dataDir, { ...file, packing: 'none', name: file.name.replace('.zip', '.txt') }));
  assert.ok(paths.slice(1).every((path) => statSync(path).size > 4 * 1024 * 1024));
  const result = await importFiles(registryDb, service.clock, { register: gb, registers, paths });
  assert.deepEqual([result.problems, result.unknownColumns], [[], []]);
  const stored = await registryDb.all<{ text: string; link: string | null; found: string | null }>(
    `SELECT p.source_data AS text, p.party_number AS link, e.registration_number AS found FROM parties p
      LEFT JOIN entities e ON e.registration_number = p.party_number AND p.party_register = 'gb'`,
  );
  const byId = new Map(stored.map((row) => [JSON.parse(row.text).data.links.self, row]));
  let [organisations, links, right, known] = [0, 0, 0, 0];
  const corporate = { all: 0, withNumber: 0, linked: 0, found: 0 };
  for (const { record, owner } of generateRecords(ROWS, SEED)) {
    const { kind, links: source } = record.data as { kind: string; links: { self: string } };
    const row = byId.get(source.self);
    assert.deepEqual(JSON.parse(row?.text ?? 'null'), record);
    if (kind.startsWith('individual-')) continue;
    organisations++;
    if (owner !== null) known++;
    const { identification } = record.data as { identification?: { registration_number?: string } };
    if (identification !== undefined) corporate.all++;
    if (identification?.registration_number !== undefined) corporate.withNumber++;
    if (row?.link != null) corporate.linked++;
    if (row?.found === null || row === undefined) continue;
    corporate.found++;
    links++;
    if (row.found === owner) right++;
  }
  const records = Array.from(generateRecords(ROWS, SEED)).length;
  assert.equal(byId.size, records);
  t.diagnostic(`corporate owners: ${JSON.stringify(corporate)}, ${right} links are right, ${known} are known`);
  assert.ok(links >= 500, `${links} links`);
  assert.ok(right / links >= 0.99, `${right} of ${links} links are right`);
  const withoutPersons = {
    register: gb,
    registers,
    paths: paths.slice(1),
    parties: ORGANISATIONS,
    mode: 'full',
  } as const;
  const { parties } = await importFiles(registryDb, service.clock, withoutPersons);
  assert.deepEqual([parties?.rows, (parties?.unchanged ?? 0) + (parties?.changed ?? 0)], [records + 1, organisations]);
  assert.ok(right / known >= 0.9, `${right} of ${known} owners are linked`);
});
