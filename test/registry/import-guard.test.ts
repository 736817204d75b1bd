import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { company, type GbRow, writeGb } from './gb-file.ts';
import { gb, numbered, useImports } from './gb-import.ts';

for (const engine of engines) {
  describe(`files that lack companies on ${engine}`, () => {
    const store = useImports(engine);
    const { run, state } = store;
    const write = (name: string, count: number) => writeGb(store.folder, `${name}.csv`, numbered(count));
    const readListed = async () => Number((await store.db.one('SELECT listed FROM holdings'))?.listed);

    test('a partial import delists nothing, and a file that is much too small is refused', async () => {
      await run(write('whole', 20));
      const before = await state();
      const part = writeGb(store.folder, 'part.csv', [company('00000099', 'EXTRA LTD')]);
      await assert.rejects(run(part), /lack 20 of the 20 companies .*nothing was changed.*--partial.*--full/);
      assert.deepEqual(await state(), before);
      const partial = await run(part, { mode: 'partial' });
      assert.deepEqual([partial.mode, partial.counts.added, partial.counts.delisted], ['partial', 1, 0]);
      const full = await run(writeGb(store.folder, 'full.csv', [company('00000099', 'EXTRA LTD', { URI: 'y' })]), {
        mode: 'full',
      });
      assert.equal(full.counts.delisted, 20);
    });

    test('a file with 80 % of the companies is a full file; one with 79 % is refused', async () => {
      await run(write('all', 100));
      await assert.rejects(run(write('79', 79)), /lack 21 of the 100 companies /);
      assert.equal((await run(write('80', 80))).counts.delisted, 20);
    });

    test('a file is compared with what the store holds, also after partial imports only', async () => {
      await run(write('first', 50), { mode: 'partial' });
      const more = numbered(100).slice(50);
      await run(writeGb(store.folder, 'second.csv', more), { mode: 'partial' });
      const before = await state();
      await assert.rejects(run(writeGb(store.folder, 'third.csv', more.slice(0, 40))), /lack 60 of the 100 /);
      assert.deepEqual(await state(), before);
    });

    test('new and returning companies do not make up for missing ones', async () => {
      const [first, second, third] = [0, 10, 20].map((start) => numbered(30).slice(start, start + 10)) as [
        GbRow[],
        GbRow[],
        GbRow[],
      ];
      await run(writeGb(store.folder, 'first.csv', first));
      await run(writeGb(store.folder, 'second.csv', second), { mode: 'full' });
      await assert.rejects(run(writeGb(store.folder, 'third.csv', third)), /lack 10 of the 10 companies /);
      await assert.rejects(run(writeGb(store.folder, 'back.csv', first)), /lack 10 of the 10 companies /);
      assert.equal((await run(writeGb(store.folder, 'all.csv', numbered(30)))).counts.delisted, 0);
    });

    test('delisted companies are not expected in a file, and companies that come back are', async () => {
      await run(write('hundred', 100));
      await run(write('twenty', 20), { mode: 'full' });
      assert.equal(await readListed(), 20);
      assert.equal((await run(write('eighteen', 18))).counts.delisted, 2);
      const back = await run(write('back', 90));
      assert.deepEqual([back.counts.changed, back.counts.unchanged, await readListed()], [72, 18, 90]);
      await assert.rejects(run(write('again', 20)), /lack 70 of the 90 /);
    });

    test('duplicates do not make a small file look complete', async () => {
      await run(write('complete', 10));
      const twice = writeGb(store.folder, 'twice.csv', [...numbered(5), ...numbered(5)]);
      await assert.rejects(run(twice), /lack 5 of the 10 companies /);
    });

    test('a large file is no exception', async () => {
      const small = { ...gb, minimumRows: 5 };
      await run(write('large', 20), { register: small });
      await assert.rejects(run(write('smaller', 10), { register: small }), /lack 10 of the 20 /);
    });

    test('in a store of an earlier release the companies are counted', async () => {
      await run(write('old', 10));
      await store.db.run('UPDATE holdings SET listed = NULL');
      await assert.rejects(run(write('small', 3)), /lack 7 of the 10 /);
      await run(write('new', 11));
      assert.equal(await readListed(), 11);
    });
  });

  describe(`the same files on ${engine}`, () => {
    const store = useImports(engine);
    const { run } = store;

    test('are read again by another version of the program', async () => {
      const path = writeGb(store.folder, 'same.csv', [company('00000001', 'ALPHA LTD')]);
      await run(path, { program: '1.0.0' });
      assert.equal((await run(path, { program: '1.0.0' })).outcome, 'unchanged');
      const upgraded = await run(path, { program: '1.1.0' });
      assert.deepEqual([upgraded.outcome, upgraded.counts.unchanged], ['published', 1]);
      assert.equal((await run(path, { program: '1.1.0' })).outcome, 'unchanged');
    });

    test('are imported again with --again, or in full after a partial import', async () => {
      const two = writeGb(store.folder, 'two.csv', [company('00000001', 'A LTD'), company('00000002', 'B LTD')]);
      const one = writeGb(store.folder, 'one.csv', [company('00000001', 'A LTD')]);
      await run(two);
      assert.equal((await run(two, { mode: 'partial' })).outcome, 'unchanged');
      const again = await run(two, { again: true });
      assert.deepEqual([again.outcome, again.counts.unchanged], ['published', 2]);
      await run(one, { mode: 'partial' });
      assert.equal((await run(one, { mode: 'partial' })).outcome, 'unchanged');
      assert.equal((await run(one, { mode: 'full' })).counts.delisted, 1);
    });
  });
}
