import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/db/db.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { RebuildNeeded } from '../../src/search/memory/update/rebuild-needed.ts';
import { updateOverlay } from '../../src/search/memory/update/update.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { findRegister, useImports } from '../registry/gb-import.ts';
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

for (const engine of engines) {
  describe(`an overlay that follows the journal on ${engine}`, () => {
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
        { numRuns: engine === 'sqlite' ? runs(6, 200) : runs(3, 200), examples: [[[UPDATED]]] },
      );
      assert.ok(updates > 0);
    });
  });
}

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
