import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import { listAddresses } from '../../src/import/fetch/state.ts';
import { importFiles } from '../../src/import/import.ts';
import { chooseRegisters } from '../../src/import/update/update.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { engines } from '../harness/databases.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { makeLv, useUpdating } from './updating.ts';

for (const engine of engines) {
  describe(`an update on ${engine}`, () => {
    const it = useUpdating(engine);

    test('says in a dry run what it would do, and changes nothing', async () => {
      it.publisher.offer('/register.csv', { body: await makeLv(40) });
      const before = await it.readState();
      const { outcome, message } = await it.update({ dryRun: true });
      assert.deepEqual(
        [outcome, message],
        ['available', 'There are new files: an update would download and import them.'],
      );
      assert.deepEqual(await it.readState(), before);
      assert.equal(await it.readCheck(), undefined);
    });

    test('imports new files, and the second one costs one request', async () => {
      const first = await it.update();
      assert.deepEqual([first.outcome, first.message, first.generation], ['updated', null, 1]);
      assert.equal(first.counts?.added, 40);
      assert.equal((await it.readCheck())?.checkedAt, it.clock.now());
      const before = await it.readState();
      const requests = it.publisher.requests.length;
      it.clock.advance(86_400_000);
      const second = await it.update();
      assert.deepEqual([second.outcome, second.generation, second.counts], ['unchanged', null, null]);
      assert.equal(it.publisher.requests.length, requests + 1);
      assert.deepEqual(await it.readState(), before);
      assert.deepEqual(
        { ...(await it.readCheck()) },
        {
          register: 'lv',
          attemptedAt: it.clock.now(),
          checkedAt: it.clock.now(),
          failures: 0,
          problem: null,
        },
      );
      assert.equal((await it.update({ dryRun: true })).outcome, 'unchanged');
    });

    test('stores the address of each file, and records are shown with it', async () => {
      const { id } = (await it.db.one<{ id: string }>('SELECT id FROM entities LIMIT 1')) ?? { id: '' };
      const { content } = (await createRegistry(it.db, registers).findEntity(id)) ?? {};
      const { provenance } = JSON.parse(String(content)).data;
      const url = `${it.publisher.url}/register.csv`;
      assert.deepEqual([provenance.sourceUrl, provenance.files[0].url], [url, url]);
    });

    test('imports what was fetched before and not imported', async () => {
      it.publisher.offer('/register.csv', { body: await makeLv(42) });
      const cause = new Error('database or disk is full');
      const broken = { ...it.db, transaction: () => Promise.reject(fail('service_unavailable', { cause })) };
      const { outcome, message } = await it.update({ db: broken });
      const sentence =
        'The database is not available (database or disk is full): nothing was changed, run the command again when it is.';
      assert.deepEqual([outcome, message], ['failed', sentence]);
      const check = await it.readCheck();
      assert.deepEqual([check?.failures, check?.problem], [1, sentence]);
      assert.equal((await it.update({ dryRun: true })).outcome, 'available');
      const { counts } = await it.update();
      assert.equal(counts?.added, 2);
      assert.equal((await it.readCheck())?.problem, null);
    });

    test('reads the files again with another version of the program', async () => {
      const again = await it.update({ program: '1.1.0' });
      assert.deepEqual([again.outcome, again.counts?.unchanged], ['updated', 42]);
      assert.equal((await it.update({ program: '1.1.0' })).outcome, 'unchanged');
    });

    test('reads the files again if PARTIES allows more than it did', async () => {
      assert.equal((await it.update({ program: '1.0.9', parties: ORGANISATIONS })).outcome, 'updated');
      const raised = await it.update({ program: '1.0.9' });
      assert.deepEqual([raised.outcome, raised.counts?.unchanged], ['updated', 42]);
      assert.equal((await it.update({ program: '1.0.9' })).outcome, 'unchanged');
      assert.equal((await it.update({ program: '1.1.0' })).outcome, 'updated');
    });

    test('does not undo what a person imported in addition', async () => {
      const [path = ''] = (await it.update({ program: '1.1.0' })).files.map((file) => file.path);
      const addresses = await listAddresses(it.folder, 'lv');
      const options = { register: lv, registers, paths: [path], mode: 'partial' as const, again: true, addresses };
      await importFiles(it.db, it.clock, options);
      assert.equal((await it.update({ program: '1.1.0' })).outcome, 'unchanged');
      const [newest] = await it.db.all<{ url: string }>('SELECT url FROM files ORDER BY id DESC LIMIT 1');
      assert.equal(newest?.url, `${it.publisher.url}/register.csv`);
    });

    test('keeps the originals of the data when later files are refused', async () => {
      const kept = await listAddresses(it.folder, 'lv');
      const [hash = ''] = [...kept.keys()].slice(-1);
      for (const seed of [7, 8, 9]) {
        it.clock.advance(86_400_000);
        it.publisher.offer('/register.csv', { body: await makeLv(42, seed) });
        assert.equal((await it.update({ program: '1.1.0' })).outcome, 'failed');
      }
      assert.ok((await listAddresses(it.folder, 'lv')).has(hash));
      const folders = readdirSync(join(it.folder, 'lv')).filter((name) => /^\d/.test(name));
      assert.equal(folders.length, 3);
      assert.ok(existsSync(join(it.folder, 'lv', folders[0] ?? '', 'register.csv')));
    });

    test('is about registers with official data or kept files', async () => {
      const list = async (folder: string) =>
        (await chooseRegisters(createRegistry(it.db, registers), folder, it.clock.now())).map(({ id }) => id);
      assert.deepEqual(await list(it.folder), ['lv']);
      // The data in this store is generated.
      assert.deepEqual(await list('/missing'), []);
      await it.db.run('UPDATE files SET synthetic = 0');
      assert.deepEqual(await list('/missing'), ['lv']);
    });
  });
}
