import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { gb } from '../../../src/registers/gb/register.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { mapRow } from '../../harness/mapping.ts';

const source = gb.sources[0] as TableSource<unknown>;

test('the generated file is zipped, quoted, and has the published header with its leading spaces', () => {
  const { name, packing, content } = generateFile(gb, 10, 1);
  assert.equal(name, 'BasicCompanyDataAsOneFile-2026-09-01.zip');
  assert.equal(packing, 'zip');
  assert.ok(content.type === 'csv');
  assert.deepEqual([content.quoting, content.lineEnd, content.bom], ['all', '\r\n', false]);
  const spaced = content.header.filter((column) => column.startsWith(' ')).map((column) => column.trim());
  const names = Array.from({ length: 10 }, (_, index) => `PreviousName_${index + 1}.CompanyName`);
  assert.deepEqual(
    new Set(spaced),
    new Set([...names, 'CompanyNumber', 'RegAddress.AddressLine2', 'PreviousName_2.CONDATE', 'ConfStmtLastMadeUpDate']),
  );
});

test('generated companies map without a report, are the same for the same seed, and have unique numbers', () => {
  const rows = listRows(20_000, 5);
  assert.deepEqual(listRows(50, 5), rows.slice(0, 50));
  assert.notDeepEqual(listRows(50, 6), rows.slice(0, 50));
  const seen = { numbers: new Set<string>(), names: new Set<string>(), statuses: new Set<string>() };
  let [withQuotes, withDefaultAddress, withPreviousNames, withoutActivity] = [0, 0, 0, 0];
  for (const row of rows) {
    assert.equal(row.length, 55);
    const cells = Object.fromEntries(source.columns.map((column, index) => [column, row[index] ?? '']));
    const { record, reports } = mapRow(source, cells);
    assert.deepEqual(reports, []);
    assert.equal(record.number?.length, 8);
    seen.numbers.add(record.number);
    seen.names.add(record.canonicalName);
    seen.statuses.add(record.registrations[0]?.status ?? '');
    if (record.canonicalName.includes('"')) withQuotes++;
    if (record.registry.defaultAddress) withDefaultAddress++;
    if (record.registry.previousNames) withPreviousNames++;
    if (record.activities.length === 0) withoutActivity++;
  }
  assert.equal(seen.numbers.size, rows.length);
  assert.ok(seen.names.size > rows.length * 0.98, `${seen.names.size} names`);
  assert.ok(seen.statuses.size >= 6);
  for (const quirk of [withQuotes, withDefaultAddress, withPreviousNames, withoutActivity]) assert.ok(quirk > 20);
});

function listRows(rows: number, seed: number): (readonly string[])[] {
  const { content } = generateFile(gb, rows, seed);
  assert.ok(content.type === 'csv');
  return [...content.rows];
}
