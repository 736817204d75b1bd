import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { ee } from '../../../src/registers/ee/register.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow } from '../../harness/mapping.ts';

const table = ee.sources[0] as TableSource<unknown>;

test('generated rows have the published header, are the same for the same seed, and map without a report', () => {
  const { content } = generateFile(ee, 3000, 7);
  assert.ok(content.type === 'csv' && content.bom && content.dialect.delimiter === ';');
  assert.deepEqual(content.header, table.columns);
  for (const row of content.rows) assert.equal(row.length, table.columns.length);
  const rows = listSyntheticRows(generateFile(ee, 3000, 7));
  assert.deepEqual(listSyntheticRows(generateFile(ee, 50, 7)), rows.slice(0, 50));
  assert.notDeepEqual(listSyntheticRows(generateFile(ee, 50, 8)), rows.slice(0, 50));
  const mapped = rows.map((row) => mapRow(table, row));
  const records = mapped.map(({ record }) => record);
  assert.deepEqual(
    mapped.flatMap(({ reports }) => reports),
    [],
  );
  assert.equal(new Set(records.map(({ number }) => number)).size, 3000);
  const wrong = records.filter(({ registrations }) => registrations[0]?.numberValid === false).length;
  assert.ok(wrong > 0 && wrong < 20, `${wrong} wrong check digits`);
  assert.ok(records.some(({ canonicalName }) => canonicalName.includes('"')));
  assert.ok(records.some(({ canonicalName }) => canonicalName.includes('&#038;')));
});
