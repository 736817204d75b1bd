import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { recordFailure, recordSuccess } from '../../src/registry/records/imports/store.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { findRegister, useImports } from './gb-import.ts';
import { joining } from './join-registers.ts';

const DAY = 86_400_000;

describeOn(usualEngines, 'the state of registers', (engine) => {
  const store = useImports(engine);
  const read = async (id: string, now = store.clock.now()) => {
    const states = await createRegistry(store.db, registers).listRegisters(now);
    const { register, ...state } = states.find((each) => each.register.id === id) ?? assert.fail(`no ${id}`);
    return state;
  };
  const run = (id: string, ...paths: string[]) =>
    importFiles(store.db, store.clock, { register: findRegister(id), registers, paths, mode: 'full' });
  const writeGbPart = (name: string, number: string) => writeGb(store.folder, name, [company(number, 'A LTD')]);

  test('a register without data has no dates and is not judged', async () => {
    assert.deepEqual(await read('gb'), {
      entities: 0,
      asOf: null,
      importedAt: null,
      checkedAt: null,
      freshness: null,
      failures: 0,
      problem: null,
      synthetic: false,
    });
  });

  test('data is judged by the day that its file describes, not by its import', async () => {
    await run('gb', writeGbPart('BasicCompanyDataAsOneFile-2026-08-01.csv', '00000001'));
    const importedAt = store.clock.now();
    const end = Date.parse('2026-08-02');
    const { asOf, ...state } = await read('gb', end + 31 * DAY);
    assert.deepEqual([asOf, state.importedAt, state.freshness], ['2026-08-01', importedAt, 'fresh']);
    assert.equal((await read('gb', end + 31 * DAY + 1)).freshness, 'due');
    assert.equal((await read('gb', end + 62 * DAY + 1)).freshness, 'overdue');
  });

  test('of several files with companies, the oldest counts, in the latest import', async () => {
    await run('gb', writeGbPart('2026-07-01-a.csv', '00000001'), writeGbPart('2026-06-01-b.csv', '00000002'));
    assert.equal((await read('gb')).asOf, '2026-06-01');
    await run('gb', writeGbPart('2026-08-01-a.csv', '00000003'), writeGbPart('2026-08-02-b.csv', '00000004'));
    assert.equal((await read('gb')).asOf, '2026-08-01');
  });

  test('a joined register speaks for the day of its main file', async () => {
    const paths = [
      store.write('companies_2026-08-05.csv', 'number,name\n1,ONE\n'),
      store.write('details_2026-07-01.csv', 'entity,text\n1,one\n'),
      store.write('sites.csv', 'site,owner\nS9,1\n'),
      store.write('about.csv', 'kind\nfull\n'),
    ];
    await importFiles(store.db, store.clock, { register: joining, registers: [joining], paths });
    const [state] = await createRegistry(store.db, [joining]).listRegisters(0);
    assert.equal(state?.asOf, '2026-08-05');
  });

  test('checks and their failures', async () => {
    await recordSuccess(store.db, 'gb', 1_000);
    await recordFailure(store.db, 'gb', 'The publisher does not answer. Try again later.', 2_000);
    const { checkedAt, failures, problem } = await read('gb');
    assert.deepEqual([checkedAt, failures], [1_000, 1]);
    assert.equal(problem, 'The publisher does not answer. Try again later.');
  });

  test('synthetic data is never fresh', async () => {
    await run('gb', await writeSynthetic(store.folder, generateFile(findRegister('gb'), 12, 5)));
    const { entities, synthetic, freshness } = await read('gb');
    assert.deepEqual([entities, synthetic, freshness], [12, true, null]);
  });
});
