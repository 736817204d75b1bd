import assert from 'node:assert/strict';
import { appendFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { numbered, useImports } from './gb-import.ts';

describeOn(engines, 'import', (engine) => {
  const store = useImports(engine);
  const { run, read, readGeneration, state, clock } = store;

  test('an import publishes records, raises the generation and enables the country', async () => {
    const before = await readGeneration();
    const path = writeGb(store.folder, 'first.csv', [
      company('00000001', 'ALPHA LTD'),
      company('00000002', 'BETA LTD'),
    ]);
    const result = await run(path);
    assert.equal(result.outcome, 'published');
    assert.equal(result.generation, before + 1);
    assert.deepEqual(result.counts, {
      rows: 2,
      added: 2,
      changed: 0,
      unchanged: 0,
      delisted: 0,
      duplicates: 0,
      rejected: 0,
      skipped: 0,
    });
    const countries = await createRegistry(store.db, registers).listCountries();
    assert.deepEqual(
      countries.filter(({ enabled }) => enabled).map(({ code }) => code),
      ['GB'],
    );
    const alpha = await read('00000001');
    assert.equal(alpha?.canonical_name, 'ALPHA LTD');
    assert.equal(alpha?.name_key, 'alpha ltd');
    assert.equal(alpha?.country_code, 'GB');
    assert.equal(alpha?.registered_at, '2003-02-01');
    assert.equal(alpha?.updated_at, clock.now());
    assert.equal(alpha?.place, 2);
    const file = await store.db.one('SELECT name, hash, synthetic FROM files WHERE id = $1', [Number(alpha?.file_id)]);
    assert.equal(file?.name, 'first.csv');
    assert.match(String(file?.hash), /^sha256:[0-9a-f]{64}$/);
    assert.equal(file?.synthetic, 0);
  });

  test('an id is the UUIDv5 of country, register and number, the same on every installation', async () => {
    await run(writeGb(store.folder, 'ids.csv', [company('00000001', 'ALPHA LTD')]));
    assert.equal((await read('00000001'))?.id, '8cfb7733-0cb1-511b-8310-bbbf2455fb10');
  });

  test('importing the same file again changes nothing and reports it as unchanged', async () => {
    const path = writeGb(store.folder, 'same.csv', [company('00000001', 'ALPHA LTD')]);
    await run(path);
    const before = await state();
    clock.advance(1_000);
    const again = await run(path);
    assert.equal(again.outcome, 'unchanged');
    assert.deepEqual(await state(), before);
  });

  test('a newer file changes updatedAt only of changed records; missing records are kept as delisted', async () => {
    const kept = company('00000001', 'KEPT LTD');
    await run(
      writeGb(store.folder, 'old.csv', [kept, company('00000002', 'CHANGED LTD'), company('00000003', 'GONE LTD')]),
    );
    const old = { kept: await read('00000001'), changed: await read('00000002'), gone: await read('00000003') };
    clock.advance(1_000);
    const second = await run(
      writeGb(store.folder, 'new.csv', [company('00000004', 'NEW LTD'), company('00000002', 'RENAMED LTD'), kept]),
      { mode: 'full' },
    );
    assert.deepEqual(second.counts, {
      rows: 3,
      added: 1,
      changed: 1,
      unchanged: 1,
      delisted: 1,
      duplicates: 0,
      rejected: 0,
      skipped: 0,
    });
    assert.deepEqual({ ...(await read('00000001')) }, { ...old.kept });
    const changed = await read('00000002');
    assert.deepEqual(
      [changed?.id, changed?.canonical_name, changed?.updated_at],
      [old.changed?.id, 'RENAMED LTD', clock.now()],
    );
    const gone = await read('00000003');
    assert.deepEqual([gone?.id, gone?.status, gone?.updated_at], [old.gone?.id, 'delisted', clock.now()]);
    assert.equal(gone?.source_data, old.gone?.source_data, 'the record itself is kept');

    clock.advance(1_000);
    const third = await run(writeGb(store.folder, 'back.csv', [kept, company('00000003', 'GONE LTD')]), {
      mode: 'full',
    });
    assert.deepEqual([third.counts.changed, third.counts.delisted, third.counts.unchanged], [1, 2, 1]);
    assert.equal((await read('00000003'))?.status, 'active', 'it is back');
    clock.advance(1_000);
    const fourth = await run(writeGb(store.folder, 'again.csv', [kept, company('00000003', 'GONE LTD', { URI: 'x' })]));
    assert.equal(fourth.counts.delisted, 0, 'a delisted record is not delisted again');
  });

  test('several files are published together, and each record refers to its own file', async () => {
    const one = writeGb(store.folder, 'part1.csv', [company('00000001', 'ONE LTD')]);
    const two = writeGb(store.folder, 'part2.csv', [company('00000002', 'TWO LTD')]);
    const result = await run([one, two]);
    assert.equal(result.counts.added, 2);
    const origin = async (number: string) =>
      (await store.db.one('SELECT name FROM files WHERE id = $1', [Number((await read(number))?.file_id)]))?.name;
    assert.deepEqual([await origin('00000001'), await origin('00000002')], ['part1.csv', 'part2.csv']);
    assert.equal((await run([two, one])).outcome, 'unchanged', 'the order of the files does not matter');
  });

  test('--dry-run reports the same counts and changes nothing', async () => {
    await run(writeGb(store.folder, 'base.csv', [company('00000001', 'A LTD'), company('00000002', 'B LTD')]));
    const before = await state();
    const path = writeGb(store.folder, 'next.csv', [company('00000001', 'A2 LTD'), company('00000003', 'C LTD')]);
    const dry = await run(path, { mode: 'full', dryRun: true });
    assert.equal(dry.outcome, 'dry-run');
    assert.equal(dry.generation, null);
    assert.deepEqual(await state(), before);
    assert.deepEqual((await run(path, { mode: 'full' })).counts, dry.counts);
  });

  test('an aborted import leaves the old data and can be run again', async () => {
    await run(writeGb(store.folder, 'held.csv', [company('00000001', 'A LTD')]));
    const before = await state();
    const rows = numbered(2_500);
    const path = writeGb(store.folder, 'long.csv', rows);
    const controller = new AbortController();
    const stopped = run(path, { signal: controller.signal, onProgress: () => controller.abort() });
    await assert.rejects(stopped, { name: 'AbortError' });
    assert.deepEqual(await state(), before);
    assert.equal((await run(path)).counts.added, 2_499);
  });

  test('a file that changes while it is read is refused, and the data stays the same', async () => {
    const path = writeGb(store.folder, 'growing.csv', [company('00000001', 'A LTD')]);
    const before = await state();
    const growing = run(path, { onProgress: () => appendFileSync(path, '\n') });
    await assert.rejects(growing, /growing\.csv changed while it was being read\. Run the import again/);
    assert.deepEqual(await state(), before);
  });

  test('progress counts rows, and bytes up to the size of the files, and names the phase at the end', async () => {
    const one = writeGb(store.folder, 'one.csv', numbered(1_200));
    const two = writeGb(store.folder, 'two.csv', [company('99999999', 'LAST LTD')]);
    const reports: { phase: string; rows: number; bytes: number; totalBytes: number }[] = [];
    await run([one, two], { onProgress: (progress) => reports.push(progress) });
    const totalBytes = statSync(one).size + statSync(two).size;
    assert.deepEqual(reports.at(-1), { phase: 'publishing', rows: 1_201, bytes: totalBytes, totalBytes });
    assert.ok(reports.slice(0, -1).every(({ phase }) => phase === 'reading'));
    assert.deepEqual(
      reports.map(({ bytes }) => bytes),
      reports.map(({ bytes }) => bytes).toSorted((one, other) => one - other),
    );
  });
});
