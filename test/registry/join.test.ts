import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { testClock } from '../harness/clock.ts';
import { useStore, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { parseSourceData } from '../harness/source-data.ts';
import { composite, compositeGathering, gathering, joining, labelled } from './join-registers.ts';

describeOn(usualEngines, 'joined tables', (engine) => {
  const store = useStore(engine, 'registry');
  beforeEach(async () => {
    for (const name of ['entities', 'holdings', 'files', 'imports']) await store.db.run(`DELETE FROM ${name}`);
  });

  const run = (register: typeof joining, files: Record<string, string>) => {
    const paths = Object.entries(files).map(([name, text]) => {
      const path = join(store.database.dataDir, `${name}.csv`);
      writeFileSync(path, text);
      return path;
    });
    return importFiles(store.db, testClock(), { register, registers: [register], paths });
  };
  const read = async (name: string) => {
    const sql = `SELECT registry, source_data, columns, place FROM entities
        LEFT JOIN layouts ON layouts.id = layout WHERE canonical_name = $1`;
    const row = await store.db.one<{ registry: string; source_data: string; columns: string; place: number }>(sql, [
      name,
    ]);
    assert.ok(row !== undefined, `no ${name}`);
    return {
      registry: JSON.parse(row.registry),
      sourceData: parseSourceData(row.source_data, row.columns),
      place: row.place,
    };
  };

  const FILES = {
    details: 'entity,text\n2,"two, ""a"""\n1,one\nS9,at S9\n2,two b\nS8,at S8\n7,nobody\nS7,nowhere\n2,useless\n',
    companies: 'number,name\n2,TWO\n1,ONE\n,WITHOUT\n3,THREE\n',
    sites: 'site,owner\nS9,2\nS8,3\n',
  };

  test('rows of joined tables go to their company, directly or through an establishment, in any file order', async () => {
    const result = await run(joining, FILES);
    assert.deepEqual([result.counts.rows, result.counts.added, result.withoutNumber], [4, 4, 1]);
    const two = await read('TWO');
    assert.deepEqual(two.registry, { details: ['two, "a"', 'two b', 'at S9'], sites: ['S9'], others: [] });
    assert.deepEqual(two.sourceData, {
      companies: { number: '2', name: 'TWO' },
      details: [
        { entity: '2', text: 'two, "a"' },
        { entity: '2', text: 'two b' },
        { entity: 'S9', text: 'at S9' },
      ],
      sites: [{ site: 'S9', owner: '2' }],
    });
    assert.equal(two.place, 2);
    assert.deepEqual((await read('THREE')).registry.details, ['at S8']);
    assert.deepEqual((await read('WITHOUT')).sourceData.details, []);
    assert.deepEqual(result.warnings, ['skipped 2 rows of "details" without a matching record']);
  });

  test('the share of bad rows in joined tables is measured against all companies', async () => {
    const companies = Array.from({ length: 3_000 }, (_, index) => `${index + 1},N${index}\n`).join('');
    const bad = '1,too,many\n'.repeat(25);
    const files = { ...FILES, companies: `number,name\n${companies}`, details: `entity,text\n${bad}` };
    assert.deepEqual((await run(joining, files)).counts.added, 3_000);
    await assert.rejects(
      run(joining, { ...files, details: `entity,text\n${bad.repeat(2)}` }),
      /50 of 3,000 rows are invalid/,
    );
  });

  test('a change in a joined table changes the record; the same files change nothing', async () => {
    await run(joining, FILES);
    assert.equal((await run(joining, FILES)).outcome, 'unchanged');
    const { sites, ...others } = FILES;
    const turned = { sites: `${sites}S6,1\n`, ...others };
    assert.deepEqual((await run(joining, turned)).counts.changed, 1, 'the order of the files does not matter');
    await run(joining, FILES);
    const result = await run(joining, { ...FILES, details: FILES.details.replace('1,one', '1,uno') });
    assert.deepEqual([result.counts.changed, result.counts.unchanged], [1, 3]);
  });

  test('a missing required table is refused, a missing optional one is noted', async () => {
    const { details, companies, sites } = FILES;
    await assert.rejects(
      run(joining, { companies, details }),
      /the import also needs "sites"\. Name all files of the register in one command/,
    );
    assert.deepEqual((await run(joining, { companies, sites })).warnings, [
      'no "details" file was given: records lack its data',
    ]);
    await assert.rejects(
      run(joining, { sites, details }),
      /sites\.csv, details\.csv: found only details about companies/,
    );
  });

  test('a missing code table is noted with what records lack', async () => {
    const note = 'no "labels" file was given: codes have no labels';
    assert.equal((await run(labelled, FILES)).warnings.includes(note), true);
    const { warnings } = await run(labelled, { ...FILES, labels: 'code,label\n' });
    assert.equal(warnings.includes(note), false);
  });

  test('a file that the register refuses by name is refused with what to import instead', async () => {
    await assert.rejects(
      run(labelled, { ...FILES, gone: 'closed\n1\n' }),
      /gone\.csv: this file lists only closed companies\. Import companies\.csv$/,
    );
  });

  test('files that declare themselves an update are refused', async () => {
    await assert.rejects(run(joining, { ...FILES, about: 'kind\nupdate\n' }), /an update: import the full file/);
    assert.equal((await run(joining, { ...FILES, about: 'kind\nfull\n' })).outcome, 'published');
  });

  test('a row with too few cells is reported with its line; files of one table must have the same columns', async () => {
    const result = await run(joining, {
      ...FILES,
      details: 'entity,text\n1\n2,two\n',
      companies: 'number,name\n2,TWO\n5\n',
    });
    assert.deepEqual([result.counts.rows, result.counts.rejected, result.unreadable], [2, 1, 1]);
    assert.deepEqual(
      result.problems.map(({ file, place, column }) => [file, place, column]),
      [
        ['details.csv', 2, 'details'],
        ['companies.csv', 3, null],
      ],
    );
    await assert.rejects(
      run(joining, { ...FILES, more: 'text,entity\nx,1\n' }),
      /more\.csv: its columns differ from those of the other "details" files/,
    );
  });

  test('several rows with one number become one record, made from the chosen row; the others are kept', async () => {
    const people = 'number,name,since\n1,OLD,2001\n2,SINGLE,2000\n1,NEW,2020\n1,MIDDLE,2010\n,NOBODY,1\n,NONE,2\n';
    const result = await run(gathering, { people });
    assert.deepEqual([result.counts.rows, result.counts.added, result.counts.duplicates], [6, 4, 2]);
    const record = await read('NEW');
    assert.deepEqual([record.registry.others, record.place], [['OLD', 'MIDDLE'], 4]);
    assert.deepEqual(record.sourceData, {
      number: '1',
      name: 'NEW',
      since: '2020',
      otherRows: [
        { number: '1', name: 'OLD', since: '2001' },
        { number: '1', name: 'MIDDLE', since: '2010' },
      ],
    });
    assert.deepEqual((await read('SINGLE')).sourceData, { number: '2', name: 'SINGLE', since: '2000' });
  });

  test('spaces around a key do not matter, and the first table row that names an owner wins', async () => {
    await run(joining, {
      companies: 'number,name\n 2 ,TWO\n1,ONE\n',
      details: 'entity,text\n2,two\n 1,one\nS9,at S9\n',
      sites: 'site,owner\nS9,2 \nS9,1\n',
    });
    assert.deepEqual((await read('TWO')).registry.details, ['two', 'at S9']);
    assert.deepEqual((await read('ONE')).registry.details, ['one']);
  });

  test('a composite key joins only rows that are equal in all its columns', async () => {
    const result = await run(composite, {
      companies: 'type,number,name\nC,1,COMPANY\nP,1,PARTNERSHIP\nC,12,TWELVE\nC1,2,OTHER\nC,,NUMBERLESS\nC,,SECOND\n',
      details: 'kind,no,text\nP,1,of the partnership\nC, 1 ,of the company\nC,,of nobody\n1,C,swapped\n',
    });
    assert.equal(result.counts.added, 6);
    assert.deepEqual(result.warnings, ['skipped 2 rows of "details" without a matching record']);
    assert.deepEqual((await read('COMPANY')).registry.details, ['of the company']);
    assert.deepEqual((await read('PARTNERSHIP')).sourceData, {
      companies: { type: 'P', number: '1', name: 'PARTNERSHIP' },
      details: [{ kind: 'P', no: '1', text: 'of the partnership' }],
    });
    for (const name of ['TWELVE', 'OTHER', 'NUMBERLESS', 'SECOND'])
      assert.deepEqual((await read(name)).registry.details, [], name);
  });

  test('rows are gathered by a composite key; a row with an incomplete key is a record by itself', async () => {
    const people = 'type,number,name\nC,1,OLD\nP,1,OTHER TYPE\nC,1,NEW\nC,,NOBODY\nC,,NONE\n,1,UNTYPED\n';
    const result = await run(compositeGathering, { people });
    assert.deepEqual([result.counts.rows, result.counts.added, result.counts.duplicates], [6, 5, 1]);
    assert.deepEqual((await read('NEW')).sourceData.otherRows, [{ type: 'C', number: '1', name: 'OLD' }]);
    assert.deepEqual((await read('OTHER TYPE')).sourceData, { type: 'P', number: '1', name: 'OTHER TYPE' });
  });
});
