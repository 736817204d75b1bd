import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { no } from '../../src/registers/no/register.ts';
import { engines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { importGleif, lei, readIds, writeCompanies, writeExceptions, writeRelationships } from './level2-files.ts';

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F'];
const COMPANIES = writeCompanies(NAMES.map((name) => [name]));
const importNo = ({ services, clock }: TestService, paths: readonly string[], more: Partial<ImportOptions> = {}) =>
  importFiles(services.registryDb, clock, { register: no, registers, paths, ...more });
const chain = (names: string) => [...names].slice(1).map((parent, index) => ({ child: names[index] ?? '', parent }));
const ALL = chain('ABCDEF');

for (const engine of engines) {
  describe(`imports of parties on ${engine}`, () => {
    const service = useService(engine);
    before(async () => {
      await importGleif(service, { 'lei2.csv': COMPANIES });
    });
    const readStored = () =>
      service.services.registryDb.all<{ company: string; set: string; file: string }>(
        `SELECT p.company, p.set_name AS "set", f.name AS file FROM parties p JOIN files f ON f.id = p.file_id
          ORDER BY p.set_name, p.company COLLATE "binary"`,
      );
    const countStored = async (set: string) => (await readStored()).filter((row) => row.set === set).length;
    const readFeed = async (cursor: string) => (await service.client.get(`/api/v1/changes?cursor=${cursor}`)).body;
    const readEnd = async () => (await readFeed('now')).meta.nextCursor as string;
    const readListed = () => service.client.get('/api/v1/entities?country=DE&status=active');

    test('the first import of a set adds its rows, and lists no company in the journal', async () => {
      const end = await readEnd();
      const result = await importGleif(service, { 'rr-1.csv': writeRelationships(ALL) });
      assert.deepEqual(result.parties, { rows: 5, added: 5, changed: 0, unchanged: 0, removed: 0, duplicates: 0 });
      assert.deepEqual([result.counts.rows, result.counts.delisted, result.warnings], [0, 0, []]);
      assert.deepEqual((await readFeed(end)).data, []);
      assert.equal((await readListed()).body.meta.total, 6);
      const { registryDb } = service.services;
      const [indexes, named] = engine === 'sqlite' ? ['sqlite_master', 'name'] : ['pg_indexes', 'indexname'];
      const found = await registryDb.rows(`SELECT ${named} FROM ${indexes} WHERE ${named} LIKE 'parties_%' ORDER BY 1`);
      for (const name of ['parties_company', 'parties_party']) assert.ok(found.flat().includes(name), name);
    });

    test('the same file does nothing, unless it is asked for again', async () => {
      const again = { 'rr-1.csv': writeRelationships(ALL) };
      assert.equal((await importGleif(service, again)).outcome, 'unchanged');
      const { parties } = await importGleif(service, again, { again: true });
      assert.deepEqual([parties?.unchanged, parties?.added, parties?.changed], [5, 0, 0]);
      assert.equal((await importGleif(service, { 'lei2.csv': COMPANIES })).outcome, 'unchanged');
    });

    test('only what differs is written, and each company whose parties changed is in the feed once', async () => {
      const end = await readEnd();
      const next = ALL.map((row) => (row.child === 'B' ? { ...row, from: '2020-01-01' } : row)).concat([
        { child: 'A', parent: 'F' },
        { child: 'A', parent: 'F' },
      ]);
      const { parties } = await importGleif(service, { 'rr-2.csv': writeRelationships(next) });
      assert.deepEqual(parties, { rows: 7, added: 1, changed: 1, unchanged: 4, removed: 0, duplicates: 1 });
      const files = (await readStored()).map(({ company, file }) => `${company.charAt(0)} ${file}`).sort();
      assert.deepEqual(files, ['A rr-1.csv', 'A rr-2.csv', 'B rr-2.csv', 'C rr-1.csv', 'D rr-1.csv', 'E rr-1.csv']);
      const { data } = await readFeed(end);
      const ids = await readIds(service);
      type Change = { entityId: string; type: string; fields: string[]; before: object; after: object };
      assert.deepEqual(data.map(({ entityId }: Change) => entityId).sort(), [ids.A, ids.B].sort());
      for (const { type, fields, before, after } of data as Change[]) {
        assert.deepEqual([type, fields], ['changed', ['parties']]);
        assert.deepEqual(before, after);
      }
    });

    test('exceptions are a set of their own: a full import of one set leaves the other', async () => {
      await importGleif(service, { 'repex.csv': writeExceptions([['F', 'NATURAL_PERSONS']]) });
      assert.deepEqual([await countStored('relationships'), await countStored('exceptions')], [6, 1]);
    });

    test('a full import removes what it lacks, a partial one does not, and a file that lacks much is refused', async () => {
      const some = { 'rr-3.csv': writeRelationships(ALL.slice(0, 2)) };
      await assert.rejects(importGleif(service, some), /the files lack 4 of the 6 relationships.*nothing was changed/);
      const partial = await importGleif(service, some, { mode: 'partial' });
      assert.deepEqual([partial.parties?.removed, await countStored('relationships')], [0, 6]);
      const end = await readEnd();
      const full = await importGleif(service, some, { mode: 'full' });
      assert.deepEqual([full.parties?.removed, await countStored('relationships')], [4, 2]);
      const ids = await readIds(service);
      const changed = (await readFeed(end)).data.map(({ entityId }: { entityId: string }) => entityId);
      assert.deepEqual(
        changed.sort(),
        ['A', 'B', 'C', 'D', 'E']
          .map((name) => ids[name])
          .filter((id) => changed.includes(id))
          .sort(),
      );
      assert.ok(changed.includes(ids.C) && changed.includes(ids.E));
      assert.equal(await countStored('exceptions'), 1);
      assert.equal((await readListed()).body.meta.total, 6);
    });

    test('companies and parties in one import: one change per company, with all its fields', async () => {
      const end = await readEnd();
      const companies = COMPANIES.replace(`${lei('A')},A,`, `${lei('A')},A renamed,`);
      const relationships = writeRelationships([...ALL.slice(1, 2), { child: 'A', parent: 'E' }]);
      const files = {
        'lei2-2.csv': companies,
        'rr-4.csv': relationships,
        'repex-2.csv': writeExceptions([['F', 'NO_LEI']]),
      };
      const result = await importGleif(service, files, { mode: 'full' });
      assert.deepEqual([result.counts.changed, result.counts.unchanged], [1, 5]);
      assert.deepEqual(result.parties, { rows: 3, added: 1, changed: 1, unchanged: 1, removed: 1, duplicates: 0 });
      const { data } = await readFeed(end);
      const ids = await readIds(service);
      const fieldsOf = (id: string | undefined) =>
        data.flatMap((each: { entityId: string; fields: string[] }) => (each.entityId === id ? [each.fields] : []));
      assert.deepEqual(fieldsOf(ids['A renamed']), [['canonicalName', 'sourceData', 'parties']]);
      assert.deepEqual(fieldsOf(ids.F), [['parties']]);
      assert.equal(data.length, 2);
      assert.equal((await importGleif(service, files)).outcome, 'unchanged');
    });

    test('bad rows are reported, and too many of them fail the import', async () => {
      const rows = Array.from({ length: 20 }, (_, index) => ({ child: `X${index}`, parent: 'A', from: 'never' }));
      await assert.rejects(
        importGleif(service, { 'bad.csv': writeRelationships(rows) }, { mode: 'partial' }),
        /20 of 20 rows are invalid/,
      );
      const invalid = [{ child: 'X', parent: 'A', registration: 'ANNULLED' }];
      const result = await importGleif(service, { 'annulled.csv': writeRelationships(invalid) }, { mode: 'partial' });
      assert.deepEqual(result.skipped, [{ reason: 'a record that is ANNULLED', rows: 1 }]);
      assert.equal(result.parties?.added, 0);
    });

    test('a dry run changes nothing', async () => {
      const stored = await readStored();
      const files = { 'dry.csv': writeRelationships([{ child: 'C', parent: 'F' }]) };
      const result = await importGleif(service, files, { mode: 'partial', dryRun: true });
      assert.deepEqual([result.outcome, result.parties?.added], ['dry-run', 1]);
      assert.deepEqual(await readStored(), stored);
    });
  });

  describe(`the switch PARTIES on ${engine}`, () => {
    test('off: not shown, skipped or refused at import, and deleted when a server starts', async () => {
      await using service = await startService(engine);
      const files = { 'lei2.csv': COMPANIES, 'rr.csv': writeRelationships(ALL) };
      await importGleif(service, files);
      const ids = await readIds(service);
      const { registryDb } = service.services;
      const count = async () => (await registryDb.one<{ rows: number }>('SELECT count(*) AS rows FROM parties'))?.rows;
      assert.equal(await count(), 5);

      await using other = await startService(engine, {
        database: service.database,
        env: { PARTIES: 'organisations,gleif=off' },
      });
      await other.services.removal.ended();
      assert.equal(await count(), 0);
      assert.deepEqual(await other.services.registryDb.all('SELECT * FROM party_sets'), []);
      for (const path of ['parties', 'owners', 'holdings']) {
        const { body } = await other.client.get(`/api/v1/entities/${ids.A}/${path}`);
        assert.equal(body.meta.coverage, 'off');
        assert.deepEqual(body.data, path === 'parties' ? [] : { nodes: [], links: [] });
      }
      const off = { all: 'off', exceptions: {} } as const;
      const switched = { parties: off, again: true } as const;
      const mixed = await importGleif(service, files, switched);
      assert.equal(mixed.parties, undefined);
      assert.match(mixed.warnings.join(), /skipped the files of parties: parties of this register are switched off/);
      await assert.rejects(importGleif(service, { 'rr.csv': files['rr.csv'] }, switched), /switched off \(PARTIES\)/);
      const { coverage } = (await service.client.get(`/api/v1/entities/${ids.A}/parties`)).body.meta;
      assert.equal(coverage, 'not_imported');

      await importGleif(service, files, { again: true });
      assert.equal(await count(), 5);
      await importGleif(service, { 'lei2-2.csv': `${COMPANIES}\n` }, { parties: off });
      assert.equal(await count(), 0);
    });
  });

  describe(`roles in a group on ${engine}`, () => {
    test('two people of one name in one group are two parties, and stay when the order changes', async () => {
      await using service = await startService(engine);
      const person = (fodselsdato: string) => ({ person: { fodselsdato, navn: { fornavn: 'Ole', etternavn: 'Vik' } } });
      const role = (rekkefolge: number, fodselsdato: string) => ({
        ...{ type: { kode: 'MEDL', beskrivelse: 'Styremedlem' }, ...person(fodselsdato) },
        ...{ fratraadt: false, avregistrert: false, rekkefolge },
      });
      const write = (name: string, roller: readonly object[]) => {
        const path = join(service.database.dataDir, name);
        const rollegrupper = [{ type: { kode: 'STYR', beskrivelse: 'Styre' }, sistEndret: '2026-01-01', roller }];
        writeFileSync(path, JSON.stringify([{ organisasjonsnummer: '923609016', rollegrupper }]));
        return path;
      };
      const first = await importNo(service, [write('a.json', [role(1, '1950-01-01'), role(2, '1980-01-01')])]);
      assert.deepEqual([first.parties?.added, first.parties?.duplicates], [2, 0]);
      const same = await importNo(service, [write('b.json', [role(1, '1980-01-01'), role(2, '1950-01-01')])]);
      assert.deepEqual([same.parties?.changed, same.parties?.added], [2, 0]);
      const left = await importNo(service, [write('c.json', [role(1, '1980-01-01')])], { mode: 'full' });
      assert.deepEqual([left.parties?.unchanged, left.parties?.removed], [1, 1]);
    });
  });
}
