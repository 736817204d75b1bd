import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ImportOptions } from '../../src/import/import.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { type GbRow, writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

describeOn(usualEngines, 'companies of rejected rows', (engine) => {
  const store = useImports(engine);
  const { run, read, write, clock } = store;
  const importInto = (id: string, paths: string | string[], options: Partial<ImportOptions> = {}) =>
    importFiles(store.db, clock, { register: findRegister(id), registers, paths: [paths].flat(), ...options });
  const listStatuses = async (): Promise<string[]> =>
    (await store.db.all<{ status: string }>('SELECT status FROM entities ORDER BY registration_number')).map(
      ({ status }) => status,
    );
  /** A file with these lines of the file of `count` companies; the first line is company 00000000. */
  const writeLines = (name: string, count: number, change: (lines: string[]) => void, more: GbRow = {}) => {
    const rows = numbered(count, () => more);
    const [header, ...lines] = readFileSync(writeGb(store.folder, 'lines.csv', rows), 'utf8').split('\r\n');
    change(lines);
    return write(name, [header, ...lines].join('\r\n'));
  };

  test('a company whose row is rejected stays as it was, also if its number is in another column than usual', async () => {
    await run(writeLines('all.csv', 20, () => undefined));
    const before = await read('00000004');
    const bad = writeLines('bad.csv', 20, (lines) => {
      lines[3] = `${lines[3]},"one too many"`;
      lines[4] = `"COMPANY "4", LTD"${lines[4]?.slice('"COMPANY 4 LTD"'.length)}`;
      lines[5] = lines[5]?.replace('COMPANY 5 LTD', '') ?? '';
      lines[6] = '"COMPANY 6 LTD","00000006"';
    });
    const { counts, warnings } = await run(bad);
    assert.deepEqual([counts.unchanged, counts.rejected, counts.delisted], [16, 4, 0]);
    assert.ok(
      warnings.includes(
        '4 companies keep their data, because their rows were rejected: COMPANY 3 LTD (00000003), ' +
          'COMPANY 4 LTD (00000004), COMPANY 5 LTD (00000005), COMPANY 6 LTD (00000006)',
      ),
      warnings.join('\n'),
    );
    assert.deepEqual(await read('00000004'), before);
    assert.equal((await run(bad, { mode: 'full', again: true })).counts.delisted, 0);
  });

  test('a rejected row that mentions another company does not hide the change of that company', async () => {
    await run(writeLines('all.csv', 20, () => undefined));
    const { counts } = await run(
      writeLines('parent.csv', 20, (lines) => {
        lines[2] = '"COMPANY 2 LTD","00000002","00000009"';
        lines[9] = lines[9]?.replace('COMPANY 9 LTD', 'RENAMED LTD') ?? '';
      }),
    );
    assert.deepEqual([counts.changed, counts.unchanged, counts.delisted], [1, 18, 0]);
    assert.equal((await read('00000009'))?.canonical_name, 'RENAMED LTD');
  });

  test('while a row has no readable number, no missing company is delisted, unless --full says that all are there', async () => {
    await run(writeLines('all.csv', 20, () => undefined));
    const bad = writeLines('unreadable.csv', 20, (lines) => {
      lines.splice(3, 1);
      lines[4] = '"COMP\u00c2NY F","OUR L"';
    });
    const { counts, warnings } = await run(bad);
    assert.deepEqual([counts.unchanged, counts.rejected, counts.delisted], [18, 1, 0]);
    assert.ok(
      warnings.includes(
        '2 companies that the files lack were not delisted, because no number can be read in 1 rejected row, which ' +
          'may be theirs (unreadable.csv, row 6): COMPANY 3 LTD (00000003), COMPANY 5 LTD (00000005). If the files ' +
          'are complete, import them with --full',
      ),
      warnings.join('\n'),
    );
    assert.equal(Number((await store.db.one('SELECT listed FROM holdings'))?.listed), 20);
    assert.equal((await run(bad, { mode: 'full', again: true })).counts.delisted, 2);
    const whole = await run(writeLines('whole.csv', 20, () => undefined));
    assert.deepEqual([whole.counts.changed, whole.counts.delisted], [2, 0]);
  });

  test('a rejected row with the number of a new company, or without any text, does not stop the delisting', async () => {
    await run(writeLines('all.csv', 20, () => undefined));
    const file = writeLines('new.csv', 20, (lines) => {
      lines.splice(3, 1);
      lines.push('"","12345678"', '"",""');
    });
    const { counts, warnings } = await run(file);
    assert.deepEqual([counts.rejected, counts.delisted], [2, 1]);
    assert.deepEqual(
      warnings.filter((warning) => /rejected/.test(warning)),
      [],
    );
  });

  test('rows of a table that others are joined to, and of a tree', async () => {
    const header = 'ICO,FIRMA,FORMA,DDATVZN,DDATZAN\n';
    const row = (number: string) => `${number},A s.r.o.,112,1990-01-31,`;
    const cz = (name: string, ...rows: string[]) => write(name, header + rows.map((text) => `${text}\n`).join(''));
    await importInto('cz', cz('one.csv', row('00000019'), row('00000027')));
    const tables = await importInto('cz', cz('two.csv', `${row('19')},,`, row('00000027')));
    assert.deepEqual([tables.counts.rejected, tables.counts.delisted], [1, 0]);
    const entity = (number: string, navn: string) => ({
      ...{ organisasjonsnummer: number, navn, organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' } },
      konkurs: false,
    });
    const no = (name: string, ...names: string[]) =>
      write(name, JSON.stringify(names.map((navn, index) => entity(['923609016', '974760673'][index] ?? '', navn))));
    await importInto('no', no('one.json', 'EN AS', 'TO AS'));
    const trees = await importInto('no', no('two.json', 'EN AS', ''));
    assert.deepEqual([trees.counts.rejected, trees.counts.delisted], [1, 0]);
    assert.deepEqual(await listStatuses(), ['active', 'active', 'active', 'active']);
  });

  test('of a register of all countries the company is found by its number and country', async () => {
    const lei = '529900T8BM49AURSDO55';
    const header =
      'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.LegalAddress.Country,Entity.EntityStatus,' +
      'Registration.RegistrationStatus,Registration.InitialRegistrationDate,Entity.RegistrationAuthority.RegistrationAuthorityID';
    const file = (name: string, legalName: string) =>
      write(name, `${header}\n${lei},${legalName},DE,DE,ACTIVE,ISSUED,,\n`);
    await importInto('gleif', file('one.csv', 'A GMBH'));
    const { counts } = await importInto('gleif', file('two.csv', ''));
    assert.deepEqual([counts.rejected, counts.delisted], [1, 0]);
  });
});
