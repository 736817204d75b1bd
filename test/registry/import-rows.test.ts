import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

const entity = (number: string, more: object = {}) => ({
  organisasjonsnummer: number,
  navn: `SELSKAP ${number} AS`,
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
  ...more,
});

describeOn(usualEngines, 'rows of an import', (engine) => {
  const store = useImports(engine);
  const { run, read, state, write, clock } = store;

  test('with more than 1 % of bad rows the import fails and nothing changes', async () => {
    await run(writeGb(store.folder, 'good.csv', [company('00000001', 'A LTD')]));
    const before = await state();
    const rows = Array.from({ length: 100 }, (_, index) =>
      company(String(index).padStart(8, '0'), 'A LTD', {
        IncorporationDate: index < 10 ? '31/02/2020' : '01/01/2020',
      }),
    );
    await assert.rejects(
      run(writeGb(store.folder, 'bad.csv', rows)),
      /10 of 100 rows are invalid.*bad\.csv, row 2: IncorporationDate "31\/02\/2020"/,
    );
    assert.deepEqual(await state(), before);
  });

  test('10 bad rows of 1,000 are accepted, 11 are not; in a small file 5 are accepted, 6 are not', async () => {
    const withBad = (count: number, bad: number) =>
      writeGb(
        store.folder,
        `${bad}-of-${count}.csv`,
        numbered(count, (index) => (index < bad ? { IncorporationDate: '31/02/2020' } : {})),
      );
    const accepted = await run(withBad(1_000, 10));
    assert.deepEqual([accepted.counts.added, accepted.unreadable], [1_000, 10]);
    await assert.rejects(run(withBad(1_000, 11)), /11 of 1,000 rows are invalid/);
    assert.equal((await run(withBad(100, 5), { mode: 'full' })).unreadable, 5);
    await assert.rejects(run(withBad(100, 6), { mode: 'full' }), /6 of 100 rows are invalid/);
  });

  test('the first 20 problems are shown, all are counted', async () => {
    const bad = { IncorporationDate: '31/02/2020' };
    const path = writeGb(
      store.folder,
      'many-problems.csv',
      numbered(2_100, (index) => (index < 21 ? bad : {})),
    );
    const result = await run(path);
    assert.deepEqual([result.unreadable, result.problems.length], [21, 20]);
  });

  test('the first row with a number wins, within a batch, across batches and on a re-import; the others are counted', async () => {
    const rows = numbered(2_500);
    rows.splice(5, 0, company('00000003', 'TWIN LTD'));
    rows.push(company('00000007', 'LATE TWIN LTD'));
    const first = await run(writeGb(store.folder, 'twins.csv', rows));
    assert.deepEqual([first.counts.rows, first.counts.added, first.counts.duplicates], [2_502, 2_500, 2]);
    const readNames = async () => [(await read('00000003'))?.canonical_name, (await read('00000007'))?.canonical_name];
    assert.deepEqual(await readNames(), ['COMPANY 3 LTD', 'COMPANY 7 LTD']);
    const second = await run(writeGb(store.folder, 'twins-again.csv', [...rows, company('99999999', 'NEW LTD')]));
    assert.deepEqual(
      [second.counts.unchanged, second.counts.duplicates, second.counts.added, second.counts.delisted],
      [2_500, 2, 1, 0],
    );
    assert.deepEqual(await readNames(), ['COMPANY 3 LTD', 'COMPANY 7 LTD']);
  });

  test('a long name is cut, a long legal form left out, a row with a long number rejected', async () => {
    const rows = [
      company('00000001', 'N'.repeat(100_000)),
      company('00000002', 'FORM LTD', { CompanyCategory: 'F'.repeat(501) }),
      company('9'.repeat(501), 'NUMBER LTD'),
      ...numbered(3),
    ];
    const result = await run(writeGb(store.folder, 'long.csv', rows));
    assert.equal(result.counts.rejected, 1);
    assert.deepEqual(
      result.problems
        .filter(({ problem }) => problem.includes('more than'))
        .map(({ place, column, problem }) => [place, column, problem]),
      [
        [2, 'canonicalName', 'cut: it has more than 4,000 characters'],
        [3, 'legalForm', 'left out: it has more than 500 characters'],
        [4, null, 'the registration number has more than 500 characters'],
      ],
    );
    assert.ok(result.problems.every(({ value }) => (value ?? '').length <= 80));
    const [first, second] = [await store.read('00000001'), await store.read('00000002')];
    assert.equal(first?.canonical_name, 'N'.repeat(4_000));
    assert.ok(first?.source_data?.includes('N'.repeat(100_000)));
    assert.equal(second?.legal_form, null);
  });

  test('JSON records keep their structure; unknown keys are reported and other values rejected', async () => {
    const no = findRegister('no');
    const records = [
      entity('923609016', { nyttFelt: { dypt: [1, { a: null }] } }),
      'not a record',
      entity('974760673'),
    ];
    const path = write('enheter.json.gz', gzipSync(JSON.stringify(records)));
    const result = await importFiles(store.db, clock, { register: no, registers, paths: [path] });
    assert.deepEqual([result.counts.rows, result.counts.added, result.counts.rejected], [3, 2, 1]);
    assert.deepEqual(result.unknownColumns, ['nyttFelt']);
    assert.deepEqual([result.problems[0]?.place, result.problems[0]?.problem], [2, 'not an object']);
    const stored = await store.db.one<{ source_data: string; layout: null }>(
      'SELECT source_data, layout FROM entities WHERE place = 1',
    );
    assert.deepEqual([JSON.parse(stored?.source_data ?? ''), stored?.layout], [records[0], null]);
    const before = await state();
    const cut = write('enheter.json', JSON.stringify([records[0], records[2]]).slice(0, -30));
    await assert.rejects(
      importFiles(store.db, clock, { register: no, registers, paths: [cut] }),
      /record 2|truncated|ends/i,
    );
    assert.deepEqual(await state(), before);
  });
});
