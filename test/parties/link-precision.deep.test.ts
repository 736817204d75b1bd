import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fold } from '../../src/core/fold.ts';
import { importFiles } from '../../src/importing/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { no } from '../../src/registers/no/register.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { realSample } from '../harness/real-samples.ts';
import { startService } from '../harness/service.ts';
import { parseSourceData } from '../harness/source-data.ts';
import { importPartyTexts } from '../registers/party-files.ts';

/** The value at a path in a row of a file, or undefined. */
function at(row: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], row);
}

type Read = (row: unknown) => unknown;

/** The number of the linked company as the file has it, read without the mappings. */
const READERS: readonly (readonly [Register, Read])[] = [
  [gleif, readGleif],
  [lv, (row) => at(row, 'entity_type') === 'LEGAL_ENTITY' && at(row, 'legal_entity_registration_number')],
  [ee, readEstonian],
  [no, readNorwegian],
];

function readGleif(row: unknown): unknown {
  return at(row, 'Relationship.EndNode.NodeID') ?? at(row, 'rr:Relationship', 'rr:EndNode', 'rr:NodeID');
}

function readNorwegian(row: unknown): unknown {
  return at(row, 'rolle', 'enhet', 'organisasjonsnummer');
}

function readEstonian(row: unknown): unknown {
  const lists = ['kaardile_kantud_isikud', 'kaardivalised_isikud', 'osanikud'];
  const party = lists.map((list) => at(row, list, 0)).find((one) => one !== undefined);
  return at(party, 'isiku_tyyp') === 'J' && (at(party, 'isikukood_registrikood') ?? at(party, 'valis_kood'));
}

const ROWS = 600;

test('links of generated files are to the company with the number and the name that the row has', async (t) => {
  let [links, right, found, named] = [0, 0, 0, 0];
  for (const [register, read] of READERS) {
    await using service = await startService('sqlite');
    const { registryDb } = service.services;
    const paths: string[] = [];
    for (const file of [generateFile(register, ROWS, 3), ...Object.values(generateParties(register, ROWS, 3))])
      paths.push(await writeSynthetic(service.database.dataDir, file));
    await importFiles(registryDb, service.clock, { register, registers, paths });
    const rows = await registryDb.all<Record<string, string | null>>(
      `SELECT p.party_number AS number, p.content, p.source_data AS text, l.columns, e.canonical_name AS name FROM parties p
        LEFT JOIN layouts l ON l.id = p.layout LEFT JOIN entities e ON e.registration_number = p.party_number
        WHERE p.party_register = '${register.id}'`,
    );
    const counts = { links: rows.length, right: 0, found: 0, named: 0 };
    for (const { number, content, text, columns, name } of rows) {
      if (String(read(parseSourceData(text ?? '', columns ?? null))) === number) counts.right++;
      if (name !== null) counts.found++;
      const written = JSON.parse(content ?? '').name;
      if (name && (written === null || fold(written) === fold(name))) counts.named++;
    }
    t.diagnostic(`${register.id}: ${JSON.stringify(counts)}`);
    links += counts.links;
    right += counts.right;
    found += counts.found;
    named += counts.named;
  }
  assert.ok(links >= 500, `${links} links`);
  assert.ok(right / links >= 0.99, `${right} of ${links} have the number of the row`);
  assert.ok(found > 0 && named / found >= 0.99, `${named} of ${found} have the name of the row`);
});

const SAMPLES: readonly (readonly [Register, string, Read, links: number])[] = [
  [gleif, 'gleif/rr-data.xml', readGleif, 10],
  [ee, 'ee/ettevotja_rekvisiidid__kaardile_kantud_isikud.json', readEstonian, 7],
  [no, 'no/roller_totalbestand_923609016.json', readNorwegian, 1],
  [gb, 'gb/psc_snapshot_sample.txt', readBritish, 2],
];

/** As Companies House writes it: with leading zeros. */
function readBritish(row: unknown): unknown {
  const identification = at(row, 'data', 'identification');
  const country = String(at(identification, 'country_registered'));
  const number = String(at(identification, 'registration_number')).trim().toUpperCase();
  const isBritish = /^(united kingdom|england|wales|scotland|northern ireland|great britain|uk)/i.test(country);
  return isBritish && number.replace(/^\d+$/, (digits) => digits.padStart(8, '0'));
}

for (const [register, name, read, expected] of SAMPLES) {
  const path = realSample(name);
  if (path === undefined) continue;
  test(`links of the real sample ${name} have the number of the row`, async (t) => {
    const { parties } = await importPartyTexts(
      register,
      { [basename(path)]: repairTotals(readFileSync(path)) },
      'organisations',
    );
    const linked = parties.filter(({ partyNumber }) => partyNumber !== null);
    t.diagnostic(`${parties.length} parties, ${linked.length} links`);
    for (const { sourceData, partyNumber } of linked) assert.equal(String(read(sourceData)), partyNumber);
    assert.equal(linked.length, expected);
  });
}

/** The sample of persons with significant control has the totals of the whole snapshot. */
function repairTotals(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString('utf8').trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  if (!last.includes('totals#')) return lines.join('\n');
  const statements = lines.filter((line) =>
    line.includes('"kind":"persons-with-significant-control-statement"'),
  ).length;
  const { data } = JSON.parse(last);
  const totals = { ...data, persons_of_significant_control_count: lines.length - 1 - statements };
  const repaired = JSON.stringify({ data: { ...totals, statements_count: statements, exemptions_count: 0 } });
  return [...lines.slice(0, -1), repaired].join('\n');
}
