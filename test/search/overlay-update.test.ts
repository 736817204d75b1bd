import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { RebuildNeeded } from '../../src/search/memory/update/changes.ts';
import { updateOverlay } from '../../src/search/memory/update/update.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, type GbRow, writeGb } from '../registry/gb-file.ts';
import { findRegister, numbered, useImports } from '../registry/gb-import.ts';
import { everything } from './world-queries.ts';
import { oddPhrase, phrase } from './worlds.ts';

/** Few numbers, so that the same company changes again and again. */
const row = fc.record({
  number: fc.integer({ min: 1, max: 60 }),
  name: fc.oneof(fc.constantFrom('Alpha', 'ALPHA', 'Älpha', 'Al "pha"', 'Beta'), phrase, oddPhrase),
  status: fc.constantFrom('Active', 'Liquidation'),
});
type CompanyRow = typeof row extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  rows: fc.uniqueArray(row, { maxLength: 30, size: 'max', selector: ({ number }) => number }),
  mode: fc.constantFrom('full', 'partial', 'partial'),
  /** LEI records link to companies, which are then found by the LEI, too. */
  linked: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }), { freq: 3 }),
  compact: fc.boolean(),
  /** How many segments the update keeps: undefined for the usual number, which is 0 with so few entities. */
  kept: fc.option(fc.nat(3), { nil: undefined }),
  /** The usual one would be more than all entities. */
  threshold: fc.constantFrom(1, 16, 1_024),
  /** Several imports may be read at once. */
  skipped: fc.constantFrom(true, false, false),
});

/** A step that is an update, whatever the random ones are. */
const UPDATED: typeof step extends fc.Arbitrary<infer T> ? T : never = {
  rows: [{ number: 2, name: 'Beta', status: 'Active' }],
  mode: 'partial',
  linked: null,
  compact: false,
  kept: undefined,
  threshold: 16,
  skipped: false,
};

const LEI_HEADER =
  'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus,' +
  'Entity.RegistrationAuthority.RegistrationAuthorityID,Entity.RegistrationAuthority.RegistrationAuthorityEntityID';

const toNumber = (number: number) => String(number).padStart(8, '0');

describeOn(usualEngines, 'an overlay that follows the journal', (engine) => {
  const store = useImports(engine);
  let files = 0;

  function importGb(rows: readonly CompanyRow[], mode: 'full' | 'partial') {
    const companies = rows.map(({ number, name, status }) =>
      company(toNumber(number), name.replaceAll('\0', ' '), { CompanyStatus: status }),
    );
    return importPath('gb', writeGb(store.folder, `${++files}.csv`, companies), mode);
  }

  function importLinks(numbers: readonly number[]) {
    const lines = numbers.map(
      (number, at) => `001GPB6A9XPE8XJICC${at + 10},Lei ${at},GB,ACTIVE,RA000585,${toNumber(number)}\n`,
    );
    return importPath('gleif', store.write(`${++files}.csv`, `${LEI_HEADER}\n${lines.join('')}`), 'full');
  }

  async function importPath(register: string, path: string, mode: 'full' | 'partial') {
    store.clock.advance(1_000);
    return importFiles(store.db, store.clock, { register: findRegister(register), registers, paths: [path], mode });
  }

  test('gives the same results as a rebuilt index, after any sequence of imports', async () => {
    let updates = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 7 }), async (steps) => {
        await importGb([{ number: 1, name: 'First', status: 'Active' }], 'full');
        let state = await build(store.db);
        for (const { rows, mode, linked, compact, kept, threshold, skipped } of steps) {
          if (rows.length > 0) await importGb(rows, mode);
          if (linked !== null) await importLinks(linked);
          if (skipped) continue;
          const fresh = await build(store.db);
          try {
            const plan = kept === undefined ? undefined : (sizes: readonly number[]) => Math.min(kept, sizes.length);
            state = await store.db.snapshot((view) => updateOverlay(state, view, { compact, plan, threshold }));
            updates++;
          } catch (error) {
            if (!(error instanceof RebuildNeeded)) throw error;
            assert.match(error.message, /for the first time/);
            state = fresh;
          }
          assertSame(state, fresh);
        }
      }),
      { numRuns: runs(6, 60), examples: [[[UPDATED]]] },
    );
    assert.ok(updates > 0);
  });
});

async function build(db: Db): Promise<IndexState> {
  return withoutOverlay(await buildIndex(db));
}

/** Compares all entities, in their order and with their fields, and what finds them. */
function assertSame(state: IndexState, expected: IndexState) {
  const [ours, theirs] = [createEngine(state, { cacheBytes: 0 }), createEngine(expected, { cacheBytes: 0 })];
  for (const q of ['', 'a', 'alpha', 'l', '0000000', '00000012', '001gpb6a9xpe8xjicc1', 'ltd b']) {
    for (const status of [undefined, 'active', 'delisted']) {
      for (const [page, pageSize] of [
        [1, 100],
        [2, 7],
      ] as const) {
        const query = { ...everything, q, status, page, pageSize };
        const [a, b] = [ours.find(query), theirs.find(query)];
        assert.equal(Buffer.from(a.body).toString(), Buffer.from(b.body).toString(), JSON.stringify(query));
        assert.equal(a.version, b.version);
      }
    }
  }
}

const NUMBERS = ['00000001', '00000002', '00000003'];
const LAST = '(SELECT generation FROM generation)';
const BETA_WAS_DELTA = "UPDATE entities SET canonical_name = 'Beta', name_key = 'beta' WHERE name_key = 'delta'";
const BETA_IS_NEW = "UPDATE changes SET type = 'added', name_before = NULL WHERE name_before = 'Beta'";

/** What can be wrong with a store, after the version of the index and one import: the message, and statements that make it so. */
const BROKEN: Readonly<Record<string, readonly [RegExp, ...string[]]>> = {
  'the version of the index was pruned': [/does not have version/, `DELETE FROM journal WHERE generation < ${LAST}`],
  'the last import is missing': [/gaps/, `DELETE FROM journal WHERE generation = ${LAST}`],
  'the store was replaced by another one with the same number of imports': [
    /does not have version/,
    'UPDATE journal SET published_at = published_at + 1',
  ],
  'changes are missing': [/has 0 of 1 changes/, 'DELETE FROM changes WHERE batch = (SELECT max(batch) FROM changes)'],
  'an entity had another name': [
    /has 0 versions of .* named "Betta"/,
    "UPDATE changes SET name_before = 'Betta' WHERE name_before = 'Beta'",
  ],
  'an entity was there before it was added': [/live version of an added entity/, BETA_WAS_DELTA, BETA_IS_NEW],
  'a changed entity is gone': [/has 0 of 1 changed entities/, "DELETE FROM entities WHERE canonical_name = 'Delta'"],
};

describeOn(usualEngines, 'an overlay that cannot follow the journal', (engine) => {
  const store = useImports(engine);
  let files = 0;

  async function importRows(rows: readonly GbRow[]) {
    store.clock.advance(1_000);
    await store.run(writeGb(store.folder, `${++files}.csv`, rows), { mode: 'partial' });
  }
  const importNames = (...names: string[]) =>
    importRows(names.map((name, at) => company(NUMBERS[at] ?? assert.fail(), name)));

  const update = (state: IndexState) => store.db.snapshot((view) => updateOverlay(state, view));

  /** An index, and an import after it. */
  async function start(): Promise<IndexState> {
    await importNames('Alpha', 'Beta', 'Gamma');
    const state = await build(store.db);
    await importNames('Alpha', 'Delta');
    return state;
  }

  async function assertRebuild(state: IndexState, reason: RegExp) {
    await assert.rejects(update(state), (error) => error instanceof RebuildNeeded && reason.test(error.message));
  }

  for (const [what, [reason, ...statements]] of Object.entries(BROKEN)) {
    test(what, async () => {
      const state = await start();
      for (const sql of statements) await store.db.run(sql);
      await assertRebuild(state, reason);
    });
  }

  test('an import in between is missing', async () => {
    const state = await start();
    await importNames('Alpha 2');
    await store.db.run(`DELETE FROM journal WHERE generation = ${LAST} - 1`);
    await assertRebuild(state, /gaps/);
  });

  test('the store was replaced by an older copy', async () => {
    await start();
    const state = await build(store.db);
    await store.db.run(`DELETE FROM journal WHERE generation = ${LAST}`);
    await store.db.run('UPDATE generation SET generation = generation - 1');
    await assertRebuild(state, /does not have version/);
  });

  test('a register was imported for the first time', async () => {
    const state = await start();
    store.clock.advance(1_000);
    const path = store.write('lei.csv', `${LEI_HEADER}\n001GPB6A9XPE8XJICC14,Alpha,GB,ACTIVE,RA000585,00000001\n`);
    await importFiles(store.db, store.clock, { register: findRegister('gleif'), registers, paths: [path] });
    await assertRebuild(state, /first time/);
  });

  test('an update does not change the old state, and imports without changes only change the version', async () => {
    const state = await start();
    const before = structuredClone({ ...state, base: undefined });
    const updated = await update(state);
    assert.equal(updated.overlay?.live.size, 2);
    assert.deepEqual({ ...state, base: undefined }, before);
    await importNames('Alpha', 'Delta', 'Gamma');
    const same = await update(updated);
    assert.equal(same.overlay, updated.overlay);
    assert.notEqual(same.version, updated.version);
    assert.equal(await update(same), same);
  });

  test('segments without live documents are dropped', async () => {
    await importRows(numbered(50));
    let state = await build(store.db);
    for (const name of ['A', 'B', 'C']) {
      await importRows(numbered(5).map((row, at) => ({ ...row, CompanyName: `${name} ${at}` })));
      const kept = (sizes: readonly number[]) => sizes.length;
      state = await store.db.snapshot((view) => updateOverlay(state, view, { plan: kept }));
      const sizes = state.overlay?.segments.map(({ index }) => index.entities);
      assert.deepEqual(sizes, [5]);
    }
  });
});
