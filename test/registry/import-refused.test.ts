import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { zip } from '../formats/feed.ts';
import { usualEngines } from '../harness/databases.ts';
import { company, GB_HEADER, writeGb } from './gb-file.ts';
import { findRegister, useImports } from './gb-import.ts';

for (const engine of usualEngines) {
  describe(`refused imports on ${engine}`, () => {
    const store = useImports(engine);
    const { run, state, write, clock } = store;

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
        () => writeGb(store.folder, 'cut.csv', [], GB_HEADER.replace('CompanyStatus,', '')),
        /cut\.csv lacks the column "CompanyStatus"/,
      ],
      [
        'a wrong encoding',
        () => write('latin.csv', Buffer.from(`${GB_HEADER}\r\n"CAF\xc9 LTD"${',""'.repeat(54)}\r\n`, 'latin1')),
        /utf-8/i,
      ],
      ['an empty file', () => write('empty.csv', ''), /empty/],
      ['an unknown file', () => write('notes.csv', 'a,b\n1,2\n'), /is not a file of the register "gb"/],
    ];

    for (const [what, make, message] of refused) {
      test(`${what} is refused with a clear message, and nothing changes`, async () => {
        const before = await state();
        await assert.rejects(run(make()), message);
        assert.deepEqual(await state(), before);
      });
    }

    test('an HTML page instead of the file is refused with advice, even when the register reads JSON', async () => {
      const lt = findRegister('lt');
      const page = write(
        'JAR_IREGISTRUOTI.csv',
        '\n<!DOCTYPE html>\n<html lang="lt"><head></head><body>404</body></html>',
      );
      await assert.rejects(
        importFiles(store.db, clock, { register: lt, registers, paths: [page] }),
        /JAR_IREGISTRUOTI\.csv is not a file of the register "lt".*HTML page.*https:.*download the file again/,
      );
    });

    test('an archive with a broken table is refused; unknown files in it are skipped with a note', async () => {
      const sg = findRegister('sg');
      const header =
        'uen,entity_name,entity_type_description,entity_status_description,registration_incorporation_date';
      const row = (uen: string) => `${uen},NORTH STAR PTE. LTD.,LOCAL COMPANY,LIVE COMPANY,2009-01-02`;
      const importZip = async (second: string | Buffer) => {
        const path = write('acra.zip', await zip({ 'A.csv': `${header}\n${row('200900001A')}\n`, 'B.csv': second }));
        return importFiles(store.db, clock, { register: sg, registers, paths: [path], mode: 'partial' });
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

    test('a file that changes while it is read is refused, and the data stays the same', async () => {
      const path = writeGb(store.folder, 'growing.csv', [company('00000001', 'A LTD')]);
      const before = await state();
      const onProgress = () => appendFileSync(path, '\n');
      await assert.rejects(
        run(path, { onProgress }),
        /growing\.csv changed while it was being read\. Run the import again/,
      );
      assert.deepEqual(await state(), before);
    });
  });
}

const LV_FILE =
  'regcode;sepa;name;name_before_quotes;name_in_quotes;name_after_quotes;without_quotes;regtype;regtype_text;type;' +
  'type_text;registered;terminated;closed;address;index;addressid;region;city;atvk;reregistration_term\n' +
  '40003000000;;SIA "X";SIA;X;;0;K;Komercreģistrs;SIA;Sabiedrība;2000-01-01;; ;Rīga;1001;1;0;1;1;\n';
