import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import {
  type Cell,
  defineRegister,
  type MapContext,
  type MappedRecord,
  type Rejection,
  type UnknownKind,
} from '../../src/registers/contract.ts';
import { createUnknownValues } from '../../src/registry/records/imports/unknown-values.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { useImports } from './gb-import.ts';
import { table, testManifest } from './test-register.ts';

const columns = ['number', 'status', 'legalForm', 'activity'];

/** Knows no value at all: what a cell holds is reported as unknown. A row without a number is not a company. */
const register = defineRegister<null>({
  ...testManifest,
  id: 'unknowing',
  sources: [
    {
      ...table('companies', columns),
      map(cell: Cell, context: MapContext<null>): MappedRecord | Rejection {
        const number = cell('number');
        if (number === '') return { rejected: 'no number', expected: true };
        for (const kind of ['status', 'legalForm', 'activity'] satisfies UnknownKind[]) {
          for (const value of cell(kind).split('|')) if (value !== '') context.reportUnknown(kind, kind, value);
        }
        const dates = { registeredAt: null, endedAt: null };
        return {
          number,
          canonicalName: `COMPANY ${number}`,
          status: 'unknown',
          legalForm: null,
          registeredAt: null,
          registrations: [{ authority: 'X', type: 'national', number, status: null, ...dates }],
          activities: [],
          registry: {},
        };
      },
    },
  ],
  readCodes: () => null,
});

describeOn(usualEngines, 'unknown values', (engine) => {
  const store = useImports(engine);
  const run = (name: string, lines: readonly string[], mode: 'full' | 'partial' = 'full') => {
    const path = store.write(name, `${columns.join()}\n${lines.join('\n')}\n`);
    return importFiles(store.db, store.clock, { register, registers: [register], paths: [path], mode });
  };

  test('are counted per value, once per row; only unknown statuses are bad rows', async () => {
    const { unknownValues, unreadable } = await run('values.csv', [
      '1,Frozen,AB,x|x|y',
      '2,Frozen,AB,x',
      ...Array.from({ length: 50 }, (_, index) => `${index + 3},,CD,`),
    ]);
    assert.deepEqual(unknownValues, [
      { kind: 'legalForm', column: 'legalForm', value: 'CD', rows: 50 },
      { kind: 'activity', column: 'activity', value: 'x', rows: 2 },
      { kind: 'legalForm', column: 'legalForm', value: 'AB', rows: 2 },
      { kind: 'status', column: 'status', value: 'Frozen', rows: 2 },
      { kind: 'activity', column: 'activity', value: 'y', rows: 1 },
    ]);
    assert.equal(unreadable, 2);
    await assert.rejects(
      run(
        'statuses.csv',
        Array.from({ length: 100 }, (_, index) => `${index},${index < 10 ? 'Frozen' : ''},,`),
      ),
      /10 of 100 rows are invalid.*row 2: status "Frozen": unknown status/,
    );
  });

  test('are listed as in the latest import that has them, from the latest full import on', async () => {
    const registry = createRegistry(store.db, [register]);
    const listValues = async () =>
      (await registry.listUnknownValues()).map(({ register, kind, column, value, rows, importedAt }) =>
        [register, kind, column, value, rows, importedAt === store.clock.now() ? 'now' : 'before'].join(' '),
      );
    await run('full.csv', ['1,,AB,x', '2,,AB,']);
    store.clock.advance(1_000);
    await run('part.csv', ['3,,AB,'], 'partial');
    assert.deepEqual(await listValues(), [
      'unknowing legalForm legalForm AB 1 now',
      'unknowing activity activity x 1 before',
    ]);
    await run('full-again.csv', ['1,,,y', '2,,,', '3,,,']);
    assert.deepEqual(await listValues(), ['unknowing activity activity y 1 now']);
  });

  test('rows that the register documents as not being companies are counted apart and never refuse a file', async () => {
    const { counts, skipped, problems } = await run('skipped.csv', [
      '1,,,',
      ...Array.from({ length: 60 }, () => ',,,'),
    ]);
    assert.deepEqual([counts.rows, counts.added, counts.rejected, counts.skipped], [61, 1, 0, 60]);
    assert.deepEqual([skipped, problems], [[{ reason: 'no number', rows: 60 }], []]);
    assert.equal((await store.db.one('SELECT skipped FROM imports'))?.skipped, 60);
  });
});

test('too many unknown values are counted together, column by column, in bounded memory', () => {
  const values = createUnknownValues();
  for (let row = 0; row < 5_000; row++) values.add('activity', 'text', `text ${row}`, String(row));
  values.add('legalForm', 'form', 'AB', '1');
  values.add('activity', 'text', 'text 0', '6000');
  values.add('activity', 'text', 'x'.repeat(1_000), '6001');
  const list = values.list();
  assert.deepEqual(list.slice(0, 2), [
    { kind: 'activity', column: 'text', value: null, rows: 4_501 },
    { kind: 'activity', column: 'text', value: 'text 0', rows: 2 },
  ]);
  assert.equal(list.length, 502);
  const others = list.filter(({ column }) => column !== 'text');
  assert.deepEqual(others, [{ kind: 'legalForm', column: 'form', value: 'AB', rows: 1 }]);
});
