import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { registers } from '../../src/registers/index.ts';
import { type ImportOptions, importFiles } from '../../src/registry/import.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { renderSourceData } from '../../src/registry/source-data.ts';
import { zip } from '../formats/feed.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { company, GB_HEADER, type GbRow, writeGb } from './gb-file.ts';

const register = registers.find(({ id }) => id === 'gb') as (typeof registers)[0];

for (const engine of engines) {
  describe(`import on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    let folder: string;
    const clock = testClock('2026-09-01T00:00:00.000Z');

    before(async () => {
      database = await createDatabase(engine);
      folder = database.dataDir;
      db = openStore('registry', database);
      await migrate(db, readMigrations('registry'), clock);
    });
    after(async () => {
      await db.close();
      await database.remove();
    });
    beforeEach(async () => {
      for (const table of ['entities', 'links', 'holdings', 'files', 'imports']) await db.run(`DELETE FROM ${table}`);
      clock.advance(60_000);
    });

    const run = (paths: string | string[], options: Partial<ImportOptions> = {}) =>
      importFiles(db, clock, { register, registers, paths: [paths].flat(), ...options });
    const read = (number: string) =>
      db.one<Record<string, string>>("SELECT * FROM entities WHERE register = 'gb' AND registrations LIKE $1", [
        `%"${number}"%`,
      ]);
    const readGeneration = async () => Number((await db.one('SELECT generation FROM generation'))?.generation);
    const numbered = (count: number, more: (index: number) => GbRow = () => ({})) =>
      Array.from({ length: count }, (_, index) =>
        company(String(index).padStart(8, '0'), `COMPANY ${index} LTD`, more(index)),
      );
    const state = async () => ({
      generation: await readGeneration(),
      entities: (await db.all('SELECT id, status, updated_at, content_hash FROM entities ORDER BY id')).map((row) => ({
        ...row,
      })),
      holdings: (await db.all('SELECT * FROM holdings')).map((row) => ({ ...row })),
    });

    test('an import publishes records, raises the generation and enables the country', async () => {
      const before = await readGeneration();
      const path = writeGb(folder, 'first.csv', [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
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
      });
      const countries = await createRegistry(db, registers).listCountries();
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
      const file = await db.one('SELECT name, hash, synthetic FROM files WHERE id = $1', [Number(alpha?.file_id)]);
      assert.equal(file?.name, 'first.csv');
      assert.match(String(file?.hash), /^sha256:[0-9a-f]{64}$/);
      assert.equal(file?.synthetic, 0);
    });

    test('an id is the UUIDv5 of country, register and number, the same on every installation', async () => {
      await run(writeGb(folder, 'ids.csv', [company('00000001', 'ALPHA LTD')]));
      assert.equal((await read('00000001'))?.id, '8cfb7733-0cb1-511b-8310-bbbf2455fb10');
    });

    test('importing the same file again changes nothing and reports it as unchanged', async () => {
      const path = writeGb(folder, 'same.csv', [company('00000001', 'ALPHA LTD')]);
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
        writeGb(folder, 'old.csv', [kept, company('00000002', 'CHANGED LTD'), company('00000003', 'GONE LTD')]),
      );
      const old = { kept: await read('00000001'), changed: await read('00000002'), gone: await read('00000003') };
      clock.advance(1_000);
      const second = await run(
        writeGb(folder, 'new.csv', [company('00000004', 'NEW LTD'), company('00000002', 'RENAMED LTD'), kept]),
      );
      assert.deepEqual(second.counts, {
        rows: 3,
        added: 1,
        changed: 1,
        unchanged: 1,
        delisted: 1,
        duplicates: 0,
        rejected: 0,
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
      const third = await run(writeGb(folder, 'back.csv', [kept, company('00000003', 'GONE LTD')]), { mode: 'full' });
      assert.deepEqual([third.counts.changed, third.counts.delisted, third.counts.unchanged], [1, 2, 1]);
      assert.equal((await read('00000003'))?.status, 'active', 'it is back');
      clock.advance(1_000);
      const fourth = await run(writeGb(folder, 'again.csv', [kept, company('00000003', 'GONE LTD', { URI: 'x' })]));
      assert.equal(fourth.counts.delisted, 0, 'a delisted record is not delisted again');
    });

    test('a partial import delists nothing, and a file that is much too small is refused', async () => {
      await run(writeGb(folder, 'whole.csv', numbered(20)));
      const before = await state();
      const part = writeGb(folder, 'part.csv', [company('00000099', 'EXTRA LTD')]);
      await assert.rejects(run(part), /has 1 row, the last full import had 20\..*nothing was changed.*--partial/);
      assert.deepEqual(await state(), before);
      const partial = await run(part, { mode: 'partial' });
      assert.deepEqual([partial.mode, partial.counts.added, partial.counts.delisted], ['partial', 1, 0]);
      const full = await run(writeGb(folder, 'full.csv', [company('00000099', 'EXTRA LTD', { URI: 'y' })]), {
        mode: 'full',
      });
      assert.equal(full.counts.delisted, 20);
    });

    test('a file with 80 % of the rows of the last one is a full file; one with 79 % is refused', async () => {
      await run(writeGb(folder, 'all.csv', numbered(100)));
      await assert.rejects(run(writeGb(folder, '79.csv', numbered(79))), /has 79 rows, the last full import had 100/);
      assert.equal((await run(writeGb(folder, '80.csv', numbered(80)))).counts.delisted, 20);
    });

    test('a file with the minimum number of rows is a full file, however large the last one was', async () => {
      const small = { ...register, minimumRows: 50 };
      await run(writeGb(folder, 'large.csv', numbered(100)), { register: small });
      await assert.rejects(run(writeGb(folder, '49.csv', numbered(49)), { register: small }), /has 49 rows/);
      const result = await run(writeGb(folder, '50.csv', numbered(50)), { register: small });
      assert.deepEqual([result.counts.delisted, result.warnings], [50, []]);
    });

    test('several files are published together, and each record refers to its own file', async () => {
      const one = writeGb(folder, 'part1.csv', [company('00000001', 'ONE LTD')]);
      const two = writeGb(folder, 'part2.csv', [company('00000002', 'TWO LTD')]);
      const result = await run([one, two]);
      assert.equal(result.counts.added, 2);
      const origin = async (number: string) =>
        (await db.one('SELECT name FROM files WHERE id = $1', [Number((await read(number))?.file_id)]))?.name;
      assert.deepEqual([await origin('00000001'), await origin('00000002')], ['part1.csv', 'part2.csv']);
      assert.equal((await run([two, one])).outcome, 'unchanged', 'the order of the files does not matter');
    });

    test('the first row with a number wins, within a batch, across batches and on a re-import; the others are counted', async () => {
      const rows = numbered(2_500);
      rows.splice(5, 0, company('00000003', 'TWIN LTD'));
      rows.push(company('00000007', 'LATE TWIN LTD'));
      const first = await run(writeGb(folder, 'twins.csv', rows));
      assert.deepEqual([first.counts.rows, first.counts.added, first.counts.duplicates], [2_502, 2_500, 2]);
      const readNames = async () => [
        (await read('00000003'))?.canonical_name,
        (await read('00000007'))?.canonical_name,
      ];
      assert.deepEqual(await readNames(), ['COMPANY 3 LTD', 'COMPANY 7 LTD']);
      const second = await run(writeGb(folder, 'twins-again.csv', [...rows, company('99999999', 'NEW LTD')]));
      assert.deepEqual(
        [second.counts.unchanged, second.counts.duplicates, second.counts.added, second.counts.delisted],
        [2_500, 2, 1, 0],
      );
      assert.deepEqual(await readNames(), ['COMPANY 3 LTD', 'COMPANY 7 LTD']);
    });

    test('a row without a number gets its id from name, date and legal form, and is reported', async () => {
      const row = company('', 'NAMELESS NUMBER LTD');
      const result = await run(writeGb(folder, 'nonumber.csv', [row]));
      assert.equal(result.withoutNumber, 1);
      assert.match(result.problems[0]?.problem ?? '', /no registration number/);
      const again = await run(writeGb(folder, 'nonumber2.csv', [row, company('00000001', 'A LTD')]));
      assert.equal(again.counts.unchanged, 1);
    });

    test('invalid rows are rejected with their line; unknown columns are kept and reported', async () => {
      const header = `${GB_HEADER},NewColumn`;
      const path = writeGb(
        folder,
        'odd.csv',
        [company('00000001', 'A LTD', { NewColumn: 'news' }), company('00000002', '')],
        header,
      );
      writeFileSync(path, `${readFileSync(path, 'utf8')}"too","few"\r\n`);
      const result = await run(path);
      assert.deepEqual([result.counts.rows, result.counts.added, result.counts.rejected], [3, 1, 2]);
      assert.deepEqual(
        result.problems.map(({ place }) => place),
        [3, 4],
      );
      assert.match(result.problems[1]?.problem ?? '', /2 columns, but the header has 56/);
      assert.deepEqual(result.unknownColumns, ['NewColumn']);
      const stored = await read('00000001');
      const layout = await db.one<{ columns: string }>('SELECT columns FROM layouts WHERE id = $1', [
        Number(stored?.layout),
      ]);
      const sourceData = JSON.parse(renderSourceData(stored?.source_data ?? '', layout?.columns ?? null));
      assert.equal(sourceData.NewColumn, 'news');
      assert.equal(sourceData[' CompanyNumber'], '00000001', 'the stray space belongs to the name');
    });

    test('with more than 1 % of bad rows the import fails and nothing changes', async () => {
      await run(writeGb(folder, 'good.csv', [company('00000001', 'A LTD')]));
      const before = await state();
      const rows = Array.from({ length: 100 }, (_, index) =>
        company(String(index).padStart(8, '0'), 'A LTD', {
          IncorporationDate: index < 10 ? '31/02/2020' : '01/01/2020',
        }),
      );
      await assert.rejects(
        run(writeGb(folder, 'bad.csv', rows)),
        /10 of 100 rows are invalid.*bad\.csv, row 2: IncorporationDate "31\/02\/2020"/,
      );
      assert.deepEqual(await state(), before);
    });

    test('10 bad rows of 1,000 are accepted, 11 are not; in a small file 5 are accepted, 6 are not', async () => {
      const withBad = (count: number, bad: number) =>
        writeGb(
          folder,
          `${bad}-of-${count}.csv`,
          numbered(count, (index) => (index < bad ? { IncorporationDate: '31/02/2020' } : {})),
        );
      const accepted = await run(withBad(1_000, 10));
      assert.deepEqual([accepted.counts.added, accepted.unreadable], [1_000, 10]);
      await assert.rejects(run(withBad(1_000, 11)), /11 of 1000 rows are invalid/);
      assert.equal((await run(withBad(100, 5), { mode: 'full' })).unreadable, 5);
      await assert.rejects(run(withBad(100, 6), { mode: 'full' }), /6 of 100 rows are invalid/);
    });

    test('two unreadable values in one row count as one bad row', async () => {
      const bad = { IncorporationDate: '31/02/2020', DissolutionDate: '32/01/2020' };
      const path = writeGb(
        folder,
        'two-values.csv',
        numbered(100, (index) => (index < 5 ? bad : {})),
      );
      const result = await run(path);
      assert.deepEqual([result.unreadable, result.problems.length], [5, 10]);
    });

    test('--dry-run reports the same counts and changes nothing', async () => {
      await run(writeGb(folder, 'base.csv', [company('00000001', 'A LTD'), company('00000002', 'B LTD')]));
      const before = await state();
      const path = writeGb(folder, 'next.csv', [company('00000001', 'A2 LTD'), company('00000003', 'C LTD')]);
      const dry = await run(path, { dryRun: true });
      assert.equal(dry.outcome, 'dry-run');
      assert.equal(dry.generation, null);
      assert.deepEqual(await state(), before);
      assert.deepEqual((await run(path)).counts, dry.counts);
    });

    test('an aborted import leaves the old data and can be run again', async () => {
      await run(writeGb(folder, 'held.csv', [company('00000001', 'A LTD')]));
      const before = await state();
      const rows = numbered(5_000);
      const path = writeGb(folder, 'long.csv', rows);
      const controller = new AbortController();
      const stopped = run(path, { signal: controller.signal, onProgress: () => controller.abort() });
      await assert.rejects(stopped, { name: 'AbortError' });
      assert.deepEqual(await state(), before);
      assert.equal((await run(path)).counts.added, 4_999);
    });

    const refused: ReadonlyArray<[string, () => string, RegExp]> = [
      [
        'an HTML page saved as CSV',
        () => write('login.csv', '<!DOCTYPE html><html><body>Please log in</body></html>'),
        /login\.csv is not a file of the register "gb".*HTML page/,
      ],
      [
        'a file of another register',
        () => write('register.csv', LV_FILE),
        /looks like a file of "lv".*firmament import lv/,
      ],
      [
        'a missing column',
        () => writeGb(folder, 'cut.csv', [], GB_HEADER.replace('CompanyStatus,', '')),
        /cut\.csv lacks the column "CompanyStatus"/,
      ],
      [
        'a wrong encoding',
        () => write('latin.csv', Buffer.from(`${GB_HEADER}\r\n"CAF\xc9 LTD"${',""'.repeat(54)}\r\n`, 'latin1')),
        /utf-8/i,
      ],
      ['a truncated archive', () => write('cut.gz', gzipSync('x'.repeat(1e5)).subarray(0, 60)), /truncated or damaged/],
      ['a bzip2 archive', () => write('cut.csv.bz2', 'BZh91AY&SY...'), /it is a bzip2 archive \(unpack it first\)/],
      ['an empty file', () => write('empty.csv', ''), /empty/],
      ['an unknown file', () => write('notes.csv', 'a,b\n1,2\n'), /is not a file of the register "gb"/],
    ];
    const write = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    for (const [what, make, message] of refused) {
      test(`${what} is refused with a clear message, and nothing changes`, async () => {
        const before = await state();
        await assert.rejects(run(make()), message);
        assert.deepEqual(await state(), before);
      });
    }

    test('an HTML page instead of the file is refused with advice, even when the register reads JSON', async () => {
      const lt = registers.find(({ id }) => id === 'lt') as (typeof registers)[0];
      const page = write(
        'JAR_IREGISTRUOTI.csv',
        '\n<!DOCTYPE html>\n<html lang="lt"><head></head><body>404</body></html>',
      );
      await assert.rejects(
        importFiles(db, clock, { register: lt, registers, paths: [page] }),
        /JAR_IREGISTRUOTI\.csv is not a file of the register "lt".*HTML page.*https:.*download the file again/,
      );
    });

    test('an archive with a broken table is refused; unknown files in it are skipped with a note', async () => {
      const sg = registers.find(({ id }) => id === 'sg') as (typeof registers)[0];
      const header =
        'uen,entity_name,entity_type_description,entity_status_description,registration_incorporation_date';
      const row = (uen: string) => `${uen},NORTH STAR PTE. LTD.,LOCAL COMPANY,LIVE COMPANY,2009-01-02`;
      const importZip = async (second: string | Buffer) => {
        const path = write('acra.zip', await zip({ 'A.csv': `${header}\n${row('200900001A')}\n`, 'B.csv': second }));
        return importFiles(db, clock, { register: sg, registers, paths: [path], mode: 'partial' });
      };
      const before = await state();
      const renamed = `${header.replace('entity_status_description', 'state')}\n${row('200900002B')}\n`;
      await assert.rejects(importZip(renamed), /B\.csv in acra\.zip lacks the column "entity_status_description"/);
      await assert.rejects(importZip('<!doctype html><html></html>'), /B\.csv in acra\.zip is an HTML page.*download/);
      assert.deepEqual(await state(), before);
      const undecodable = Buffer.from(`${header},st\xf8tus\n`, 'latin1');
      await assert.rejects(importZip(undecodable), /B\.csv in acra\.zip: .*utf-8/);
      const { counts, warnings } = await importZip('Terms of use: see the web site.\n');
      assert.equal(counts.added, 1);
      assert.ok(
        warnings.includes('B.csv in acra.zip was skipped: the register does not know this file'),
        warnings.join(),
      );
    });

    test('a register with two encodings is read in the one that decodes the start of the file', async () => {
      const cz = registers.find(({ id }) => id === 'cz') as (typeof registers)[0];
      // In windows-1250 0xf9 is ů and 0xf2 is ň.
      const text = 'ICO,FIRMA,FORMA,DDATVZN,DDATZAN\n00000019,K\u00f9\u00f2 s.r.o.,112,1990-01-31,\n';
      const path = write('res_data.csv', Buffer.from(text, 'latin1'));
      const result = await importFiles(db, clock, { register: cz, registers, paths: [path] });
      assert.deepEqual(result.warnings.slice(1), ['no "res_pf_nace" file was given: records lack its data']);
      assert.equal(
        (await db.one("SELECT canonical_name FROM entities WHERE register = 'cz'"))?.canonical_name,
        'Kůň s.r.o.',
      );
    });

    test('the same file is imported again with --again, or in full after a partial import', async () => {
      const two = writeGb(folder, 'two.csv', [company('00000001', 'A LTD'), company('00000002', 'B LTD')]);
      const one = writeGb(folder, 'one.csv', [company('00000001', 'A LTD')]);
      await run(two);
      assert.equal((await run(two, { mode: 'partial' })).outcome, 'unchanged');
      const again = await run(two, { again: true });
      assert.deepEqual([again.outcome, again.counts.unchanged], ['published', 2]);
      await run(one, { mode: 'partial' });
      assert.equal((await run(one, { mode: 'partial' })).outcome, 'unchanged');
      assert.equal((await run(one, { mode: 'full' })).counts.delisted, 1);
    });

    test('a file that changes while it is read is refused, and the data stays the same', async () => {
      const path = writeGb(folder, 'growing.csv', [company('00000001', 'A LTD')]);
      const before = await state();
      const onProgress = () => appendFileSync(path, '\n');
      await assert.rejects(
        run(path, { onProgress }),
        /growing\.csv changed while it was being read\. Run the import again/,
      );
      assert.deepEqual(await state(), before);
    });

    test('the header may be in one of the first ten rows', async () => {
      const [header, row] = readFileSync(writeGb(folder, 'plain.csv', [company('00000001', 'A LTD')]), 'utf8').split(
        /\r?\n/,
      );
      const withTitle = (lines: number) =>
        write(`title-${lines}.csv`, `${'Company data\n'.repeat(lines)}${header}\n${row}\n`);
      const result = await run(withTitle(9));
      assert.deepEqual([result.counts.rows, result.counts.rejected], [1, 0]);
      assert.equal((await read('00000001'))?.place, 11);
      await assert.rejects(run(withTitle(10)), /is not a file of the register "gb"/);
    });

    test('progress counts rows, and bytes up to the size of the files', async () => {
      const one = writeGb(folder, 'one.csv', numbered(1_200));
      const two = writeGb(folder, 'two.csv', [company('99999999', 'LAST LTD')]);
      const reports: { rows: number; bytes: number; totalBytes: number }[] = [];
      await run([one, two], { onProgress: (progress) => reports.push(progress) });
      const totalBytes = statSync(one).size + statSync(two).size;
      assert.deepEqual(reports.at(-1), { rows: 1_201, bytes: totalBytes, totalBytes });
      assert.deepEqual(
        reports.map(({ bytes }) => bytes),
        reports.map(({ bytes }) => bytes).toSorted((one, other) => one - other),
      );
    });

    test('the first 20 problems are shown, all are counted', async () => {
      const bad = { IncorporationDate: '31/02/2020' };
      const path = writeGb(
        folder,
        'many-problems.csv',
        numbered(2_100, (index) => (index < 21 ? bad : {})),
      );
      const result = await run(path);
      assert.deepEqual([result.unreadable, result.problems.length], [21, 20]);
    });

    test('two columns with the same name become two keys of sourceData', async () => {
      const [header, row] = readFileSync(writeGb(folder, 'once.csv', [company('00000001', 'A LTD')]), 'utf8').split(
        /\r?\n/,
      );
      const path = write('twice.csv', `${header},x,x,,CompanyName\n${row},1,2,3,SECOND LTD\n`);
      await run(path);
      const stored = await db.one<{ source_data: string; columns: string }>(
        'SELECT source_data, columns FROM entities JOIN layouts ON layouts.id = layout',
      );
      const sourceData = JSON.parse(renderSourceData(stored?.source_data ?? '', stored?.columns ?? null));
      assert.deepEqual([sourceData.x, sourceData['x (2)'], sourceData['']], ['1', '2', '3']);
      assert.equal(sourceData['CompanyName (2)'], 'SECOND LTD');
      assert.equal((await read('00000001'))?.canonical_name, 'A LTD', 'the first column with a known name is read');
    });

    // SQLite has only one writer.
    if (engine === 'postgres') {
      test('an import that links to other registers waits for their imports', async () => {
        const other = openStore('registry', database);
        const gleif = registers.find(({ id }) => id === 'gleif') as (typeof registers)[0];
        const csv =
          'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus,Entity.RegistrationAuthority.RegistrationAuthorityID,Entity.RegistrationAuthority.RegistrationAuthorityEntityID';
        const path = write('lei.csv', `${csv}\n001GPB6A9XPE8XJICC14,A Limited,GB,ACTIVE,RA000585,00000001\n`);
        const waiting = Promise.withResolvers<void>();
        let linking: ReturnType<typeof importFiles> | undefined;
        await run(writeGb(folder, 'linked.csv', [company('00000001', 'A LTD')]));
        await other.transaction(async (tx) => {
          // As the import of another register does, which may add records that are linked to.
          await tx.hold('links between registers', 'shared');
          linking = importFiles(db, clock, { register: gleif, registers, paths: [path], onWait: waiting.resolve });
          await waiting.promise;
          assert.doesNotMatch((await read('00000001'))?.number_keys ?? '', /001gpb/);
        });
        await linking;
        await other.close();
        assert.match((await read('00000001'))?.number_keys ?? '', /001gpb6a9xpe8xjicc14/);
      });
    }

    test('a second import of the same register waits (SQLite) or is refused (PostgreSQL)', async () => {
      const other = openStore('registry', database);
      const path = writeGb(folder, 'second.csv', [company('00000001', 'A LTD')]);
      const waiting = Promise.withResolvers<void>();
      let second: ReturnType<typeof importFiles> | undefined;
      await other.transaction(async (tx) => {
        assert.equal(await tx.claim('import gb'), true);
        second = run(path, { onWait: waiting.resolve });
        if (engine === 'sqlite') await waiting.promise;
        else await assert.rejects(second, /another import of "gb" is running/);
      });
      await other.close();
      if (engine === 'sqlite') assert.equal((await second)?.counts.added, 1);
      else assert.equal((await run(path)).counts.added, 1, 'it works afterwards');
    });

    test('two concurrent imports of a register leave the complete data of one of them', async () => {
      const other = openStore('registry', database);
      const rows = numbered(3_000);
      const one = writeGb(folder, 'one.csv', rows);
      const two = writeGb(folder, 'two.csv', [...rows, company('99999999', 'LAST LTD')]);
      const results = await Promise.allSettled([
        run(one),
        importFiles(other, clock, { register, registers, paths: [two] }),
      ]);
      await other.close();
      assert.ok(results.some(({ status }) => status === 'fulfilled'));
      const held = (await db.one('SELECT count(*) AS n FROM entities'))?.n;
      assert.ok(held === 3_000 || held === 3_001, `${held} entities`);
      assert.equal((await db.one('SELECT entities FROM holdings'))?.entities, held);
    });
  });
}

const LV_FILE =
  'regcode;sepa;name;name_before_quotes;name_in_quotes;name_after_quotes;without_quotes;regtype;regtype_text;type;' +
  'type_text;registered;terminated;closed;address;index;addressid;region;city;atvk;reregistration_term\n' +
  '40003000000;;SIA "X";SIA;X;;0;K;Komercreģistrs;SIA;Sabiedrība;2000-01-01;; ;Rīga;1001;1;0;1;1;\n';
