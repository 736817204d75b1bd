import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { RebuildNeeded } from '../../src/search/memory/update/rebuild-needed.ts';
import { updateOverlay } from '../../src/search/memory/update/update.ts';
import { engines } from '../harness/databases.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { findRegister, numbered, useImports } from '../registry/gb-import.ts';

const NUMBERS = ['00000001', '00000002', '00000003'];

for (const engine of engines) {
  describe(`an overlay that cannot follow the journal on ${engine}`, () => {
    const store = useImports(engine);
    let files = 0;

    async function importNames(...names: string[]) {
      store.clock.advance(1_000);
      const rows = names.map((name, at) => company(NUMBERS[at] ?? assert.fail(), name));
      await store.run(writeGb(store.folder, `${++files}.csv`, rows), { mode: 'partial' });
    }

    const update = (state: IndexState) => store.db.snapshot((view) => updateOverlay(state, view));

    /** An index, and an import after it. */
    async function start(): Promise<IndexState> {
      await importNames('Alpha', 'Beta', 'Gamma');
      const state = withoutOverlay(await buildIndex(store.db));
      await importNames('Alpha', 'Delta');
      return state;
    }

    async function assertRebuild(state: IndexState, reason: RegExp) {
      await assert.rejects(update(state), (error) => error instanceof RebuildNeeded && reason.test(error.message));
    }

    test('an unchanged journal can be followed', async () => {
      const state = await start();
      assert.equal((await update(state)).overlay?.live.size, 2);
    });

    test('its version was pruned', async () => {
      const state = await start();
      await store.db.run('DELETE FROM journal WHERE generation < (SELECT generation FROM generation)');
      await assertRebuild(state, /does not have version/);
    });

    test('an import in between is missing, or the last one', async () => {
      const state = await start();
      await importNames('Alpha 2');
      await store.db.run('DELETE FROM journal WHERE generation = (SELECT generation - 1 FROM generation)');
      await assertRebuild(state, /gaps/);
      await store.db.run('DELETE FROM journal WHERE generation = (SELECT generation FROM generation)');
      await assertRebuild(state, /gaps/);
    });

    test('the store was replaced by another one with the same number of imports', async () => {
      const state = await start();
      await store.db.run('UPDATE journal SET published_at = published_at + 1');
      await assertRebuild(state, /does not have version/);
    });

    test('the store was replaced by an older copy', async () => {
      await start();
      const state = withoutOverlay(await buildIndex(store.db));
      await store.db.run('DELETE FROM journal WHERE generation = (SELECT generation FROM generation)');
      await store.db.run('UPDATE generation SET generation = generation - 1');
      await assertRebuild(state, /does not have version/);
    });

    test('a register was imported for the first time', async () => {
      const state = await start();
      store.clock.advance(1_000);
      const path = store.write(
        'lei.csv',
        `LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus,Entity.RegistrationAuthority.RegistrationAuthorityID,Entity.RegistrationAuthority.RegistrationAuthorityEntityID
001GPB6A9XPE8XJICC14,Alpha,GB,ACTIVE,RA000585,00000001\n`,
      );
      await importFiles(store.db, store.clock, { register: findRegister('gleif'), registers, paths: [path] });
      await assertRebuild(state, /first time/);
    });

    test('changes are missing', async () => {
      const state = await start();
      await store.db.run('DELETE FROM changes WHERE batch = (SELECT max(batch) FROM changes)');
      await assertRebuild(state, /has 0 of 1 changes/);
    });

    test('an entity had another name, or was there before it was added', async () => {
      const state = await start();
      await store.db.run("UPDATE changes SET name_before = 'Betta' WHERE name_before = 'Beta'");
      await assertRebuild(state, /has 0 versions of .* named "Betta"/);
      await store.db.run("UPDATE entities SET canonical_name = 'Beta', name_key = 'beta' WHERE name_key = 'delta'");
      await store.db.run("UPDATE changes SET type = 'added', name_before = NULL WHERE name_before = 'Betta'");
      await assertRebuild(state, /live version of an added entity/);
    });

    test('a changed entity is gone', async () => {
      const state = await start();
      await store.db.run("DELETE FROM entities WHERE canonical_name = 'Delta'");
      await assertRebuild(state, /has 0 of 1 changed entities/);
    });

    test('the state does not change by an attempt, and imports without changes only change the version', async () => {
      const state = await start();
      const before = structuredClone({ ...state, base: undefined });
      const updated = await update(state);
      assert.deepEqual({ ...state, base: undefined }, before);
      await importNames('Alpha', 'Delta', 'Gamma');
      const same = await update(updated);
      assert.equal(same.overlay, updated.overlay);
      assert.notEqual(same.version, updated.version);
      assert.equal(await update(same), same);
    });

    test('segments without live documents are dropped', async () => {
      await store.run(writeGb(store.folder, 'many.csv', numbered(50)), { mode: 'partial' });
      let state = withoutOverlay(await buildIndex(store.db));
      for (const name of ['A', 'B', 'C']) {
        store.clock.advance(1_000);
        const rows = numbered(5).map((row, at) => ({ ...row, CompanyName: `${name} ${at}` }));
        await store.run(writeGb(store.folder, `${name}.csv`, rows), { mode: 'partial' });
        const kept = (sizes: readonly number[]) => sizes.length;
        state = await store.db.snapshot((view) => updateOverlay(state, view, { plan: kept }));
        assert.deepEqual(
          state.overlay?.segments.map(({ index }) => index.entities),
          [5],
        );
      }
    });
  });
}
