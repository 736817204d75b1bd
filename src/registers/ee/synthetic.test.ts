import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSyntheticRows, mapRow } from '../../../test/harness/mapping.ts';
import type { TableSource } from '../contract.ts';
import { ee } from './register.ts';

const table = ee.sources[0] as TableSource<unknown>;

test('generated rows have the published header, are the same for the same seed, and map without a report', () => {
  const { content } = ee.generate(3000, 7);
  assert.ok(content.type === 'csv' && content.bom && content.dialect.delimiter === ';');
  assert.deepEqual(content.header, table.columns);
  for (const row of content.rows) assert.equal(row.length, table.columns.length);
  const rows = listSyntheticRows(ee.generate(3000, 7));
  assert.deepEqual(listSyntheticRows(ee.generate(50, 7)), rows.slice(0, 50));
  assert.notDeepEqual(listSyntheticRows(ee.generate(50, 8)), rows.slice(0, 50));
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
