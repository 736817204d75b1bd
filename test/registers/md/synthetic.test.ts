import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeRow, MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { md } from '../../../src/registers/md/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import type { SyntheticSheet } from '../../../synthetic/file.ts';
import { generateFile } from '../../../synthetic/generators.ts';

const ROWS = 6_000;

function generate(rows = ROWS, seed = 1): readonly SyntheticSheet[] {
  const file = generateFile(md, rows, seed);
  assert.deepEqual([file.name, file.packing], ['company_2026.09.14.xlsx', 'none']);
  return file.content.type === 'xlsx' ? file.content.sheets : [];
}

function readCells(sheet: SyntheticSheet | undefined, headerAt: number): CodeRow[] {
  const [header, ...rows] = [...(sheet?.rows ?? [])].slice(headerAt);
  const columns = (header ?? []).map((text) => String(text).replace('\n', ' '));
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, String(row[index] ?? '')])));
}

function mapAll() {
  const [company, unlicensed, licensed] = generate();
  const codes = md.readCodes(
    new Map([
      ['unlicensed', readCells(unlicensed, 0)],
      ['licensed', readCells(licensed, 0)],
    ]),
  );
  const reports: string[] = [];
  const { map } = md.sources[0] as TableSource<unknown>;
  const records = readCells(company, 1).map((row) => {
    const report = (_column: string, value: string) => void reports.push(value);
    return map?.((column) => row[column] ?? '', { codes, report, reportUnknown: report }) as MappedRecord;
  });
  return { records, reports };
}

describe('MD synthetic workbook', () => {
  it('has the sheets and the header row of 2026, numbers and dates in number cells', () => {
    const sheets = generate(50);
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ['Company', 'Clasificare nelicenţiate', 'Clasificare licenţiate'],
    );
    const [title, header, first, ...rest] = [...(sheets[0]?.rows ?? [])];
    assert.match(String(title?.[3]), /starea pînă la 14\.09\.2026/);
    assert.equal(header?.length, 11);
    assert.deepEqual([typeof first?.[0], typeof first?.[1], typeof first?.[5]], ['number', 'number', 'number']);
    assert.equal(rest.length, 49);
  });

  it('depends only on the seed', () => {
    const write = (seed: number) => JSON.stringify(generate(200, seed).map(({ rows }) => [...rows]));
    assert.equal(write(5), write(5));
    assert.notEqual(write(5), write(6));
    const [company] = generate(10);
    assert.deepEqual([...(company?.rows ?? [])], [...(company?.rows ?? [])], 'can be read twice');
  });

  it('maps without reports, with unique numbers and few wrong check digits', () => {
    const { records, reports } = mapAll();
    assert.deepEqual(
      reports.filter((value) => value !== '20.08.1111'),
      [],
    );
    const numbers = records.flatMap(({ number }) => number ?? []);
    assert.equal(new Set(numbers).size, numbers.length);
    assert.ok(numbers.length > ROWS * 0.99);
    const wrong = records.filter(({ registrations }) => registrations[0]?.numberValid === false).length;
    assert.ok(wrong > 0 && wrong < ROWS * 0.01, `${wrong} wrong`);
    assert.ok(new Set(records.map(({ canonicalName }) => canonicalName)).size > ROWS * 0.9);
  });

  it('has every status, every kind of founder, and both kinds of activities, with labels and with ids that are not codes', () => {
    const { records } = mapAll();
    const statuses = new Set(records.map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), ['active', 'dissolved', 'in_liquidation', 'insolvent']);
    const founders = JSON.stringify(
      records.map(({ registry }) => (registry as RegistryOf).parties?.filter(({ role }) => role === 'founder')),
    );
    for (const field of ['share', 'jointShare', 'number', 'members', 'state', 'group'])
      assert.match(founders, RegExp(field));
    const activities = records.flatMap((record) => record.activities);
    assert.deepEqual([...new Set(activities.map(({ type }) => type))].sort(), ['licensed', 'unlicensed']);
    assert.ok(activities.every(({ label }) => label !== null));
    const sheet = readCells(generate(1)[1], 0);
    assert.ok(sheet.every((row) => row.ID !== row['Cod CAEM']));
    assert.equal(new Set(sheet.map((row) => row.ID)).size, sheet.length);
  });

  it('yields the first row immediately, whatever the number of rows', () => {
    const rows = generate(50_000_000)[0]?.rows[Symbol.iterator]();
    assert.equal(rows?.next().done, false);
  });
});
