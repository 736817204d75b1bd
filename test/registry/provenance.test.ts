import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { findDay } from '../../src/import/import-plan.ts';
import { type Claim, isSynthetic } from '../../src/import/proof/claim.ts';
import { createTracer } from '../../src/import/reading/part.ts';
import { registers } from '../../src/registers/index.ts';
import { parseOrigins } from '../../src/registry/records/records.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { useImports } from './gb-import.ts';
import { joining } from './join-registers.ts';

test('rows are kept exactly, and consecutive ones as a range', () => {
  const source = { name: 'rows', joins: { column: 'a' } };
  const named = (entry: string) => ({ file: 'all.zip', entry, source, header: {} }) as never;
  const imported = ['a.csv', 'b.csv', 'c.csv'].map((entry) => ({
    file: 'all.zip',
    entry,
    table: 'rows',
    content: 'rows' as const,
  }));
  const tracer = createTracer([named('c.csv'), named('a.csv')], imported);
  const main = { part: 1, place: 9 };
  const places = (...list: number[]) => list.map((place) => ({ part: 0, place }));
  assert.equal(tracer.traceRows(main, [places(5)]), '0:9;2:5');
  assert.equal(
    tracer.traceRows(main, [places(7, 5, 6, 12, 13, 20), [{ part: 1, place: 10 }]]),
    '0:9-10;2:5-7,12-13,20',
  );
  assert.deepEqual(parseOrigins('0:9;2:5-7,20'), [
    { part: 0, rows: [{ first: 9, last: 9 }] },
    {
      part: 2,
      rows: [
        { first: 5, last: 7 },
        { first: 20, last: 20 },
      ],
    },
  ]);
  const many = Array.from({ length: 5_000 }, (_, index) => ({ part: 0, place: index * 3 }));
  const traced = parseOrigins(tracer.traceRows(main, [many]) ?? '');
  assert.deepEqual(
    traced[1]?.rows.map(({ first }) => first),
    many.map(({ place }) => place),
  );
});

test('the day of a file is found in its name, or else in the names of its entries, and never guessed', () => {
  const days: [string[], string | null][] = [
    [['BasicCompanyDataAsOneFile-2026-09-01.zip'], '2026-09-01'],
    [['20260901-0800-gleif-goldencopy-lei2-golden-copy.csv.zip'], '2026-09-01'],
    [['company_2026.09.14.xlsx'], '2026-09-14'],
    [['firme-02-09-2026.zip'], '2026-09-02'],
    [['UO.zip', '17.1-EX_XML_EDR_UO_FULL_16.10.2025.xml'], '2025-10-16'],
    [['KboOpenData_0152_2026_06_Full.zip'], null],
    [['COMPANY_202611.csv'], null],
    [['2026-09-01_to_2026-09-08.csv'], null],
    [['release-2026-02-30.csv', 'export-123456789012.csv'], null],
    [['register.csv'], null],
  ];
  for (const [names, day] of days) assert.equal(findDay(names), day, names.join());
});

interface ListedFile {
  readonly file: string;
  readonly entry: string | null;
  readonly table: string;
  readonly rows: readonly { readonly first: number; readonly last: number }[];
}

test('the proof of a record is synthetic if its main file is, or a part that it has rows of', () => {
  const claim = (main: number, synthetic: readonly number[], used: readonly number[]) =>
    ({
      file: { synthetic: main },
      parts: used.map((number) => ({ number, synthetic: synthetic[number] })),
    }) as unknown as Claim;
  assert.equal(isSynthetic(claim(1, [0], [0])), true);
  assert.equal(isSynthetic(claim(0, [0, 0], [0, 1])), false);
  assert.equal(isSynthetic(claim(0, [0, 1], [0, 1])), true);
  assert.equal(isSynthetic(claim(0, [0, 1], [0])), false, 'it has no row of the invented part');
  assert.equal(isSynthetic({ ...claim(1, [1], []), file: undefined }), false, 'the file is not known any more');
});

describeOn(usualEngines, 'provenance', (engine) => {
  const store = useImports(engine);
  const readProvenance = async (name: string, known: readonly (typeof joining)[] = registers) => {
    const row = await store.db.one<{ id: string }>('SELECT id FROM entities WHERE canonical_name = $1', [name]);
    const found = await createRegistry(store.db, known).findEntity(row?.id ?? '');
    return JSON.parse(String(found?.content)).data.provenance;
  };
  const listFiles = async (name: string, known?: readonly (typeof joining)[]) =>
    (await readProvenance(name, known)).files.map(
      ({ file, entry, table, rows }: ListedFile) =>
        `${file} ${entry ?? '-'} ${table} ${rows.map(({ first, last }) => `${first}-${last}`).join()}`,
    );

  test('a joined record names every file it has rows of, with all rows, and the code tables', async () => {
    const paths = [
      store.write('details.csv', 'entity,text\n2,a\n1,one\n2,b\n2,c\n2,useless\nS9,d\n'),
      store.write('companies.csv', 'number,name\n2,TWO\n1,ONE\n3,THREE\n'),
      store.write('sites.csv', 'site,owner\nS9,2\n'),
      store.write('about.csv', 'kind\nfull\n'),
    ];
    await importFiles(store.db, store.clock, { register: joining, registers: [joining], paths });
    assert.deepEqual(await listFiles('TWO', [joining]), [
      'companies.csv - companies 2-2',
      'sites.csv - sites 2-2',
      'details.csv - details 2-2,4-5,7-7',
      'about.csv - about ',
    ]);
    assert.deepEqual(await listFiles('THREE', [joining]), ['companies.csv - companies 4-4', 'about.csv - about ']);
    const { file, hash, row, files } = await readProvenance('TWO', [joining]);
    assert.deepEqual([file, row], ['companies.csv', 2]);
    assert.equal(hash, files[0].hash);
    assert.equal(new Set(files.map((each: { hash: string }) => each.hash)).size, 4);
  });

  test('unchanged records keep the files that their content came from', async () => {
    const rows = [company('00000001', 'ONE LTD')];
    await store.run(writeGb(store.folder, 'first-2026-09-01.csv', rows));
    await store.run(writeGb(store.folder, 'second-2026-10-01.csv', [company('00000002', 'TWO LTD'), ...rows]));
    assert.deepEqual(await listFiles('ONE LTD'), ['first-2026-09-01.csv - companies 2-2']);
    assert.equal((await readProvenance('ONE LTD')).asOf, '2026-09-01');
  });
});
