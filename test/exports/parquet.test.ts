import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { entityRows } from '../../src/exports/parquet/columns.ts';
import { createParquetWriter } from '../../src/exports/parquet/group.ts';
import { createPartFile } from '../../src/exports/part-file.ts';
import type { EntityParts } from '../../src/registry/records/records.ts';
import { useFolder } from '../harness/use.ts';
import { makeSummary } from '../web/summaries.ts';
import { useDuck } from './duck.ts';

const ROWS = 3_000;

/** Distinct and repeated values, lists of all lengths, and texts that take several pages. */
function invent(row: number): EntityParts {
  const number = String(row).padStart(8, '0');
  const activities = Array.from({ length: row % 4 }, (_, at) => ({ code: `${(row + at) % 90}`, main: at === 0 }));
  const previousNames = Array.from({ length: row % 3 }, (_, at) => ({ name: `Old ${row} ${at}`, until: '2000-02-29' }));
  const registry = {
    ...(row % 5 > 0 && { activities }),
    ...(row % 7 > 0 && { previousNames }),
    ...(row % 2 > 0 && { foundedAt: `19${10 + (row % 90)}-0${1 + (row % 9)}-1${row % 10}`, employees: { count: row } }),
    ...(row % 11 === 0 && { national: row }),
  };
  return {
    summary: makeSummary({
      id: `00000000-0000-5000-9000-0000${number}`,
      register: 'gb',
      registrationNumber: row % 13 === 0 ? null : number,
      canonicalName: `${row} LTD`,
      city: row % 2 === 0 ? 'London' : 'Leeds',
      registeredAt: '1999-12-31',
    }),
    registry: JSON.stringify(registry),
    sourceData: JSON.stringify({ row, text: `${row} `.repeat(200) }),
    registrations: '[]',
    related: '[]',
    partyCounts: 'null',
    provenance: JSON.stringify({
      register: 'gb',
      row,
      synthetic: row % 3 === 0,
      files: [{ file: 'a.csv', rows: [{ first: row, last: row === 100 ? row + 1 : row }] }],
    }),
  };
}

describe('Parquet with dictionaries that are given up and several pages', () => {
  const duck = useDuck();
  const folder = useFolder();
  const path = join(folder, 'part.parquet');
  before(async () => {
    const file = createPartFile(path);
    const writer = createParquetWriter(file, entityRows);
    for (let row = 0; row < ROWS; row++) await writer.add([invent(row)]);
    await writer.end();
    file.finish();
  });

  test('every value is read as it was written', async () => {
    const rows = await duck.all<Record<string, string | null>>(
      `SELECT *, to_json(activities) AS a, to_json(previousNames) AS p, to_json(provenance) AS o FROM '${path}' ORDER BY id`,
    );
    assert.equal(rows.length, ROWS);
    for (const [row, found] of rows.entries()) {
      const { summary, sourceData, registry: text, provenance } = invent(row);
      const registry = JSON.parse(text);
      const expected = { ...summary, updatedAt: found.updatedAt, sourceData };
      for (const [name, value] of Object.entries(expected)) assert.equal(found[name], value, `${row} ${name}`);
      assert.deepEqual(clean(found.a), registry.activities ?? null);
      assert.deepEqual(clean(found.p), registry.previousNames ?? null);
      assert.deepEqual(clean(found.o), JSON.parse(provenance));
      assert.equal(found.foundedAt, registry.foundedAt ?? null);
      assert.equal(found.registryOther, 'national' in registry ? `{"national":${row}}` : null);
    }
  });

  test('statistics have the bounds and the number of nulls, and filters find single values', async () => {
    const [names, numbers] = await duck.all(
      `SELECT stats_min_value AS least, stats_max_value AS most, stats_null_count AS nulls, encodings
        FROM parquet_metadata('${path}') WHERE path_in_schema IN ('canonicalName', 'registrationNumber') ORDER BY path_in_schema`,
    );
    assert.deepEqual(names, { least: '0 LTD', most: '999 LTD', nulls: '0', encodings: 'PLAIN' });
    assert.deepEqual(numbers, { least: '00000001', most: '00002999', nulls: '231', encodings: 'PLAIN' });
    for (const row of [1, 1_500, 2_999]) {
      const { id } = invent(row).summary;
      assert.equal((await duck.all(`SELECT 1 FROM '${path}' WHERE id = '${id}'`)).length, 1);
      const probe = `parquet_bloom_probe('${path}', 'id', '${id}')`;
      assert.deepEqual(await duck.all(`SELECT bloom_filter_excludes AS no FROM ${probe}`), [{ no: false }]);
    }
    const other = `parquet_bloom_probe('${path}', 'id', '00000000-0000-5000-9000-ffffffffffff')`;
    assert.deepEqual(await duck.all(`SELECT bloom_filter_excludes AS no FROM ${other}`), [{ no: true }]);
  });

  test('a name is found whatever the order of its characters in UTF-16', async () => {
    // In UTF-16, the second name comes before the first one; in UTF-8, after it.
    const names = ['\uff21 LTD', '𠮷 LTD', 'ABC LTD'];
    for (const [index, own] of [names, names.slice(0, 2)].entries()) {
      const other = join(folder, `order-${index}.parquet`);
      const file = createPartFile(other);
      const writer = createParquetWriter(file, entityRows);
      for (const [row, canonicalName] of own.entries()) {
        const record = invent(row);
        await writer.add([{ ...record, summary: { ...record.summary, canonicalName } }]);
      }
      await writer.end();
      file.finish();
      for (const name of own) {
        assert.equal((await duck.all(`SELECT 1 FROM '${other}' WHERE canonicalName = '${name}'`)).length, 1, name);
      }
    }
  });
});

/** Without fields that are null. */
function clean(json: string | null | undefined): unknown {
  const drop = (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  };
  return JSON.parse(json ?? 'null', drop);
}
