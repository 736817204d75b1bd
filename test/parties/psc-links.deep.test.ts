import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
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
  const records = Object.values(generateParties(gb, ROWS, SEED)).flatMap(({ content }) =>
    content.type === 'json' ? [...content.values] : [],
  ) as { data: { kind: string; links?: { self: string }; identification?: { registration_number?: string } } }[];
  const byId = new Map(stored.map((row) => [JSON.parse(row.text).data.links.self, row]));
  let [organisations, numbers, links, right] = [0, 0, 0, 0];
  for (const record of records) {
    const { kind, links: source, identification } = record.data;
    if (source === undefined) continue;
    const row = byId.get(source.self);
    assert.deepEqual(JSON.parse(row?.text ?? 'null'), record);
    if (kind.startsWith('individual-')) continue;
    organisations++;
    const written = bareDigits(identification?.registration_number ?? '');
    if (written.length >= 5) numbers++;
    if (row?.found == null) continue;
    links++;
    if (bareDigits(row.found) === written) right++;
  }
  assert.equal(byId.size, records.length - 1);
  t.diagnostic(`corporate owners: ${numbers} with numbers, ${links} linked, ${right} of them are right`);
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
  assert.deepEqual(
    [parties?.rows, (parties?.unchanged ?? 0) + (parties?.changed ?? 0)],
    [records.length, organisations],
  );
  assert.ok(right / numbers >= 0.6, `${right} of ${numbers} owners are linked`);
});

function bareDigits(number: string): string {
  return number.replace(/\D/g, '').replace(/^0+/, '');
}
