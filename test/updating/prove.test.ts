import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Register } from '../../src/registers/contract.ts';
import { zip } from '../formats/feed.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { gb } from '../registry/gb-import.ts';
import { gathering, joining } from '../registry/join-registers.ts';
import { assertProven, useProofs } from './proving.ts';

const ONE = company('00000001', 'ONE LTD');

for (const engine of engines) {
  describe(`proof of a record on ${engine}`, () => {
    const proofs = useProofs(engine);
    const { store, prove, keep } = proofs;

    /** Imports one company from a kept file. Returns its id and the path of the file. */
    async function importOne(): Promise<{ id: string; path: string; imported: string }> {
      rmSync(join(store.folder, 'sources'), { recursive: true, force: true });
      const imported = writeGb(store.folder, 'BasicCompanyData-2026-09-01.csv', [ONE]);
      const [path = ''] = await keep(gb, [imported]);
      await proofs.import(gb, [imported]);
      return { id: String((await store.read('00000001'))?.id), path, imported };
    }

    test('names file, hash, row and the number of cells and fields that agree', async () => {
      const { id, path } = await importOne();
      const proof = await prove(id);
      assertProven(proof);
      assert.equal(proof.message, 'Proven: the record is exactly what the original says.');
      assert.deepEqual([proof.register, proof.name, proof.synthetic, proof.delisted], ['gb', 'ONE LTD', false, false]);
      assert.equal(proof.source?.row, 2);
      const [file, ...others] = proof.files;
      assert.equal(others.length, 0);
      assert.deepEqual([file?.state, file?.path, file?.actualHash], ['intact', path, proof.source?.hash]);
      assert.deepEqual(file?.parts, [
        { entry: null, table: 'companies', content: 'records', rows: [{ first: 2, last: 2 }], found: 1 },
      ]);
      const [header = ''] = readFileSync(path, 'utf8').split('\n');
      assert.equal(proof.cells?.agree, header.split(',').length);
    });

    test('a kept file with one other byte is altered, whatever the state says', async () => {
      const { id, path } = await importOne();
      const bytes = readFileSync(path);
      bytes[bytes.indexOf('ONE LTD')] = 'U'.charCodeAt(0);
      writeFileSync(path, bytes);
      const proof = await prove(id);
      assert.equal(proof.outcome, 'altered');
      const [file] = proof.files;
      assert.match(file?.actualHash ?? '', /^sha256:[0-9a-f]{64}$/);
      assert.notEqual(file?.actualHash, file?.hash);
      assert.deepEqual([proof.cells, proof.fields], [null, null]);
      assert.match(proof.message, /no longer agrees.*: BasicCompanyData-2026-09-01\.csv\. Name/);
    });

    test('an original that is not kept is reported with the page of the publisher; a given copy replaces it', async () => {
      const { id, path, imported } = await importOne();
      rmSync(path);
      const proof = await prove(id);
      assert.equal(proof.outcome, 'not kept');
      assert.equal(proof.files[0]?.state, 'not kept');
      assert.ok(proof.message.includes(gb.sourceUrl) && proof.message.includes(gb.publisher), proof.message);
      await store.db.run("UPDATE files SET url = 'https://example.com/fetched.csv'");
      assert.match((await prove(id)).message, /https:\/\/example\.com\/fetched\.csv, and name it with --file/);
      const other = writeGb(store.folder, 'other.csv', [company('00000002', 'TWO LTD')]);
      assert.equal((await prove(id, { given: [other] })).outcome, 'not kept');
      const renamed = join(store.folder, 'my download.csv');
      renameSync(imported, renamed);
      const given = await prove(id, { given: [other, renamed] });
      assertProven(given);
      assert.equal(given.files[0]?.path, renamed);
      assert.deepEqual(
        given.given.map(({ hash }) => hash === given.source?.hash),
        [false, true],
      );
    });

    test('an original is found without a state file, in quarantine, and beside an altered copy', async () => {
      const { id, path, imported } = await importOne();
      const folder = dirname(dirname(path));
      writeFileSync(path, 'altered');
      const aside = join(folder, 'quarantine', '20260902T000000Z');
      mkdirSync(aside, { recursive: true });
      writeFileSync(join(aside, 'file.csv'), readFileSync(imported));
      assertProven(await prove(id));
      rmSync(join(folder, 'state.json'));
      assertProven(await prove(id));
    });

    test('a field that this version of the program reads differently is named', async () => {
      const { id } = await importOne();
      await store.db.run("UPDATE entities SET canonical_name = 'OTHER' WHERE id = $1", [id]);
      const proof = await prove(id);
      assert.equal(proof.outcome, 'different');
      assert.equal(proof.cells?.differ, 0);
      assert.deepEqual(proof.fields?.differences, [
        { table: null, row: null, column: 'canonicalName', stored: 'OTHER', original: 'ONE LTD' },
      ]);
      assert.match(proof.message, /the source agrees.*--again/);
    });

    test('a delisted record is proven by the last file with it', async () => {
      const { id } = await importOne();
      await proofs.import(gb, [writeGb(store.folder, 'next.csv', [company('00000002', 'TWO LTD')])]);
      const proof = await prove(id);
      assertProven(proof);
      assert.equal(proof.delisted, true);
    });

    test('a record whose file the store does not know is unverifiable', async () => {
      const { id } = await importOne();
      await store.db.run('DELETE FROM files');
      const unknown = await prove(id);
      assert.equal(unknown.outcome, 'unverifiable');
      assert.match(unknown.message, /does not say which file/);
    });

    test('a file that the register no longer recognizes makes a record unverifiable', async () => {
      const { id } = await importOne();
      const renamed = { ...gb, sources: gb.sources.map((source) => ({ ...source, name: 'renamed' })) };
      const proof = await prove(id, { registers: [renamed as Register] });
      assert.deepEqual([proof.outcome, proof.files[0]?.state], ['unverifiable', 'unreadable']);
      assert.match(proof.message, /does not find the table "companies" in it/);
      assert.equal((await prove(id, { registers: [] })).outcome, 'unverifiable');
    });

    test('a row that is rejected now is a difference, with the reason', async () => {
      const { id } = await importOne();
      const map = () => ({ rejected: 'too old' });
      const stricter = { ...gb, sources: gb.sources.map((source) => ({ ...source, map })) };
      const proof = await prove(id, { registers: [stricter as Register] });
      assert.deepEqual([proof.outcome, proof.cells?.differ, proof.fieldsProblem], ['different', 0, 'too old']);
    });

    test('joined tables whose file is not kept are left out, and the rest is compared', async () => {
      const companies = store.write('companies.csv', 'number,name\n1,ONE\n');
      const sites = store.write('sites.csv', 'site,owner\nS1,1\nS2,1\n');
      await proofs.import(joining, [companies, sites], { registers: [joining] });
      const [id = ''] = await proofs.listIds(joining);
      const options = { registers: [joining], given: [companies] };
      const proof = await prove(id, options);
      assert.deepEqual([proof.outcome, proof.cells?.agree, proof.cells?.differ], ['not kept', 2, 0]);
      assert.equal(proof.fields, null);
      await store.db.run("UPDATE entities SET source_data = replace(source_data, 'ONE', 'TWO') WHERE id = $1", [id]);
      assert.equal((await prove(id, options)).outcome, 'different');
    });

    test('a joined row that the store lost, and one that the original lacks, are named', async () => {
      const companies = store.write('companies.csv', 'number,name\n1,ONE\n');
      const sites = store.write('sites.csv', 'site,owner\nS1,1\nS2,1\nS3,1\n');
      await proofs.import(joining, [companies, sites], { registers: [joining] });
      const [id = ''] = await proofs.listIds(joining);
      const options = { registers: [joining], given: [companies, sites] };
      assertProven(await prove(id, options));
      await store.db.run(`UPDATE entities SET source_data = replace(source_data, '["S2","1"],', '') WHERE id = $1`, [
        id,
      ]);
      const lost = await prove(id, options);
      assert.deepEqual(lost.cells?.differences, [
        { table: 'sites', row: 3, column: null, original: { site: 'S2', owner: '1' } },
      ]);
      await store.db.run(
        `UPDATE entities SET source_data = replace(source_data, '["S1","1"],', '["S1","1"],["S2","1"],["S9","1"],') WHERE id = $1`,
        [id],
      );
      const added = await prove(id, options);
      assert.deepEqual(added.cells?.differences, [
        { table: 'sites', row: null, column: null, stored: { site: 'S9', owner: '1' } },
      ]);
    });

    const cell = fc.string({ unit: anyCharacter, maxLength: 6 }).map((text) => text.replace(/[\r\n\0]/g, ' '));
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const write = (header: string, rows: readonly (readonly string[])[]) =>
      `${[header, ...rows.map((row) => row.map(quote).join(','))].join('\n')}\n`;
    const number = fc.constantFrom('1', '2', '3');

    test('every record of joined and gathered tables is proven, whatever the order of rows and files', async () => {
      const joinedFiles = fc.record({
        names: fc.tuple(cell, cell, cell),
        sites: fc.array(fc.tuple(fc.constantFrom('S1', 'S2', 'S3', 'S4'), number), { maxLength: 6 }),
        details: fc.array(fc.tuple(fc.constantFrom('1', '2', 'S1', 'S2', 'S3'), cell), { maxLength: 12 }),
        more: fc.array(fc.tuple(fc.constantFrom('1', '3', 'S1', 'S4'), cell), { maxLength: 8 }),
      });
      await fc.assert(
        fc.asyncProperty(joinedFiles, async ({ names, sites, details, more }) => {
          const companies = names.map((name, index) => [`${index + 1}`, `N${name.trim()}`]);
          const paths = [
            store.write('details.csv', write('entity,text', details)),
            store.write('more.csv', write('entity,text', more)),
            store.write('companies.csv', write('number,name', companies)),
            store.write('sites.csv', write('site,owner', sites)),
          ];
          await assertAllProven(joining, paths);
        }),
        { numRuns: runs(4, 150) },
      );
      const people = fc.array(
        fc.tuple(
          number,
          cell.map((text) => `N${text.trim()}`),
          fc.constantFrom('1', '2'),
        ),
        {
          minLength: 1,
          maxLength: 6,
        },
      );
      await fc.assert(
        fc.asyncProperty(people, people, async (one, other) => {
          const entries = { 'b.csv': write('number,name,since', one), 'a.csv': write('number,name,since', other) };
          await assertAllProven(gathering, [store.write('people.zip', await zip(entries))]);
        }),
        { numRuns: runs(4, 150) },
      );
    });

    async function assertAllProven(register: Register, paths: readonly string[]): Promise<void> {
      await store.db.run('DELETE FROM entities');
      await proofs.import(register, paths, { registers: [register] });
      const ids = await proofs.listIds(register);
      assert.ok(ids.length > 0);
      for (const id of ids) assertProven(await prove(id, { registers: [register], given: paths }));
    }
  });
}
