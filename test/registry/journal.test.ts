import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { importFiles } from '../../src/import/import.ts';
import { ImportRefused } from '../../src/import/mapping/problems.ts';
import { registers } from '../../src/registers/index.ts';
import { emptyRegistry } from '../../src/registry/registry.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { findRegister, useImports } from './gb-import.ts';
import { expectChanges, readChanges, readEntries, readRecords, sortChanges } from './journal-oracle.ts';

/** A version of a company in a file of Companies House. */
const gbCompany = fc.record({
  number: fc.integer({ min: 1, max: 3 }),
  name: fc.constantFrom('Alpha', 'Beta', 'ALPHA'),
  status: fc.constantFrom('Active', 'Liquidation'),
  form: fc.constantFrom('Private Limited Company', 'Old Public Company', ''),
  day: fc.constantFrom('01/02/2003', ''),
  town: fc.constantFrom('LEEDS', ''),
  activity: fc.constantFrom('62020 - Information technology consultancy activities', ''),
  uri: fc.constantFrom('x', 'y'),
});

/** A version of an LEI record. Its number at Companies House may be of a company that is not imported, and be written short. */
const leiRecord = fc.record({
  lei: fc.integer({ min: 1, max: 3 }),
  name: fc.constantFrom('Alpha', 'Beta'),
  country: fc.constantFrom('GB', 'GB', 'US'),
  number: fc.constantFrom('', '1', '01', '2', '02', '9'),
});

const gbFile = fc.record({ register: fc.constant('gb' as const), rows: fc.array(gbCompany, { maxLength: 5 }) });
const leiFile = fc.record({ register: fc.constant('gleif' as const), rows: fc.array(leiRecord, { maxLength: 4 }) });

const step = fc.record({
  file: fc.oneof(gbFile, leiFile),
  mode: fc.constantFrom('full', 'full', 'partial', undefined),
  kind: fc.constantFrom('normal', 'normal', 'normal', 'normal', 'again', 'dry run', 'fails', 'aborted'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Most changes need a register that is not empty, so most sequences start with a first import of both. */
const load = (file: typeof gbFile | typeof leiFile) =>
  fc.record({ file, mode: fc.constant('full' as const), kind: fc.constant('normal' as const) });
const sequence = fc
  .tuple(
    fc.oneof(fc.tuple(load(gbFile), load(leiFile)), fc.tuple(load(leiFile), load(gbFile)), fc.tuple(step)),
    fc.array(step, { minLength: 1, maxLength: 6 }),
  )
  .map(([first, rest]): Step[] => [...first, ...rest]);

const LEI_HEADER =
  'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus,' +
  'Entity.RegistrationAuthority.RegistrationAuthorityID,Entity.RegistrationAuthority.RegistrationAuthorityEntityID';

describeOn(engines, 'the journal', (engine) => {
  const store = useImports(engine);
  let files = 0;

  function writeFile({ register, rows }: Step['file']): string {
    const name = `${++files}.csv`;
    if (register === 'gb') {
      const companies = rows.map(({ number, name, status, form, day, town, activity, uri }) =>
        company(String(number).padStart(8, '0'), name, {
          CompanyStatus: status,
          CompanyCategory: form,
          IncorporationDate: day,
          'RegAddress.PostTown': town,
          'SICCode.SicText_1': activity,
          URI: uri,
        }),
      );
      return writeGb(store.folder, name, companies);
    }
    const lines = rows.map(
      ({ lei, name, country, number }) =>
        `001GPB6A9XPE8XJICC1${lei},${name},${country},ACTIVE,${number === '' ? '' : 'RA000585'},${number}\n`,
    );
    return store.write(name, `${LEI_HEADER}\n${lines.join('')}`);
  }

  /** Runs an import, or a part of it. Returns whether it was published. */
  async function runStep({ file, mode, kind }: Step, path: string): Promise<boolean> {
    const aborted = AbortSignal.abort();
    const options = {
      register: findRegister(file.register),
      registers,
      paths: [path],
      ...(mode && { mode }),
      ...(kind === 'again' && { again: true }),
      ...(kind === 'dry run' && { dryRun: true }),
      // A file that changes while it is imported makes the import fail after everything is written.
      ...(kind === 'fails' && { onProgress: () => appendFileSync(path, '\n') }),
      ...(kind === 'aborted' && { signal: aborted }),
    };
    try {
      return (await importFiles(store.db, store.clock, options)).outcome === 'published';
    } catch (error) {
      if (error instanceof ImportRefused || error === aborted.reason) return false;
      throw error;
    }
  }

  test('names exactly the entities that differ, with type, fields and values, after any sequence of imports', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        await emptyRegistry(store.db);
        const entries = await readEntries(store.db);
        let before = await readRecords(store.db);
        let last = '';
        for (const one of steps) {
          store.clock.advance(1_000);
          const path =
            one.kind === 'again' && last.endsWith(one.file.register)
              ? (last.split(' ')[0] as string)
              : writeFile(one.file);
          last = `${path} ${one.file.register}`;
          const published = await runStep(one, path);
          const after = await readRecords(store.db);
          if (!published) assert.deepEqual(after, before);
          else {
            const { register } = one.file;
            const expected = sortChanges(expectChanges(before, after, register));
            const entry = (await readEntries(store.db)).at(-1) ?? assert.fail();
            assert.deepEqual(sortChanges(await readChanges(store.db, entry.batch)), expected);
            assert.deepEqual(entry, {
              generation: (entries.at(-1)?.generation ?? 0) + 1,
              publishedAt: store.clock.now(),
              register,
              batch: entry.batch,
              changes: expected.length,
              loaded: expected.some(({ type }) => type === 'loaded') ? 1 : 0,
              mixed: expected.some((change) => change.register !== register) ? 1 : 0,
            });
            entries.push(entry);
            assert.equal(entry.generation, await store.readGeneration());
          }
          assert.deepEqual(await readEntries(store.db), entries);
          before = after;
        }
        const total = await store.db.one<{ changes: number }>('SELECT count(*) AS changes FROM changes');
        assert.equal(
          total?.changes,
          entries.reduce((sum, { changes }) => sum + changes, 0),
        );
      }),
      { numRuns: runs(8, 400) },
    );
  });
});
