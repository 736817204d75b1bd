import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { limitLoss } from '../../src/import/history.ts';
import { usualEngines } from '../harness/databases.ts';
import { company, type GbRow, writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

const DAY = 86_400_000;

for (const engine of usualEngines) {
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
  });

  describe(`files that were cut on ${engine}`, () => {
    const store = useImports(engine);
    const { run, state, read, write } = store;
    const text = () => readFileSync(writeGb(store.folder, 'whole.csv', numbered(300)), 'utf8');

    test('in the middle of the last row are refused, unless --full says that they are complete', async () => {
      const whole = text();
      await run(write('all.csv', whole));
      const before = await state();
      const cut = write('cut.csv', whole.slice(0, whole.lastIndexOf(',""')));
      const message = /cut\.csv ends in the middle of row 301.*Nothing was changed.*--full/;
      await assert.rejects(run(cut), message);
      await assert.rejects(run(cut, { mode: 'partial' }), message);
      assert.deepEqual(await state(), before);
      const { counts } = await run(cut, { mode: 'full' });
      assert.deepEqual([counts.unchanged, counts.rejected], [299, 1]);
    });

    test('in a short file, a last row with all columns is whole without its line end', async () => {
      const { counts } = await run(write('open.csv', text().trimEnd()));
      assert.deepEqual([counts.added, counts.rejected], [300, 0]);
      assert.ok(await read('00000299'));
      assert.equal((await run(write('spaces.csv', `${text()}  \x1a`))).outcome, 'published');
    });

    test('are refused when a thread reads them', async () => {
      const large = readFileSync(
        writeGb(
          store.folder,
          'large.csv',
          numbered(1_500, () => ({ URI: 'x'.repeat(3_000) })),
        ),
        'utf8',
      );
      assert.ok(large.length > 4 * 1024 * 1024);
      const cut = write('large-cut.csv', large.slice(0, large.lastIndexOf(',""')));
      await assert.rejects(run(cut), /large-cut\.csv ends in the middle of row 1501/);
      // Of a long file, the last cell may be cut.
      const open = write('large-open.csv', large.trimEnd());
      await assert.rejects(run(open), /large-open\.csv ends in the middle of row 1501/);
      assert.equal((await run(open, { mode: 'full' })).counts.added, 1_500);
    });

    test('are refused when they are joined to companies or explain their codes', async () => {
      const header = 'ICO,FIRMA,FORMA,DDATVZN,DDATZAN\n';
      const cz = { register: findRegister('cz') };
      const companies = write('res_data.csv', `${header}00000019,A s.r.o.,112,1990-01-31,\n`);
      const activities = write('res_pf_nace.csv', 'ICO,KODCIS,HODN\n00000019,80004,62010\n00000019,80');
      await assert.rejects(run([companies, activities], cz), /res_pf_nace\.csv ends in the middle of row 3/);
      const codes = write('cis.csv', 'KODCIS,CHODNOTA,TEXT\n56,112,Spolecnost\n56,1');
      await assert.rejects(run([companies, codes], cz), /cis\.csv ends in the middle of row 3/);
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

describe('how many companies an update may lack', () => {
  const now = Date.UTC(2026, 8, 1);
  /** Updates of a register of a million companies, every `days`, the latest of them that many days ago. */
  const history = (days: number, ...losses: number[]) =>
    losses.map((delisted, index) => ({
      importedAt: now - (losses.length - index) * days * DAY,
      delisted,
      held: 1_000_000,
    }));
  const first = 0;
  const cases: ReadonlyArray<[string, number, ReturnType<typeof history>, number]> = [
    ['2 % without a history', 1_000_000, [], 20_000],
    ['1,000 if that is more', 20_000, [], 1_000],
    ['never more than 20 %', 3_000, [], 600],
    ['two updates after the first import are no history', 1_000_000, history(1, first, 0, 0), 20_000],
    ['twice the loss per day of the worst of three', 1_000_000, history(1, first, 2_000, 100, 0), 4_000],
    ['for as many days as have passed', 1_000_000, history(30, first, 9_000, 15_000, 12_000), 30_000],
    ['1,000 when updates lose nothing', 1_000_000, history(1, first, 0, 0, 0), 1_000],
    ['a loss of more than 20 % is no rule', 1_000_000, history(1, first, 600_000, 0, 1_500, 20), 3_000],
    ['updates on one day count as a day', 1_000_000, history(0.1, first, 700, 600, 500), 1_400],
  ];
  for (const [what, held, updates, expected] of cases)
    test(what, () => assert.equal(limitLoss(held, updates, now), expected));
});
