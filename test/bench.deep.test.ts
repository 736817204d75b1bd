import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from './harness/process.ts';

/** Data sets in the formats of the real ones. */
const NAMES = {
  'name-bench/cases.csv': 'schema,name1,name2,is_match,quality\nCompany,Zebulon Ltd,Zebulon Limited,true,STRONG\n',
  'name-bench/register-view.csv': 'schema,name1,name2,published,register_view\n',
  'goc-vendors/original_vendor_names.csv': 'normalized_vendor_name,original_vendor_name\nZEBULON,Zebulonn Ltd\n',
  'goc-vendors/vendor_normalization_data.csv': 'parent_company,company_name\nZEBULON,ZEBULON\n',
  'goc-vendors/all-vendors.csv': 'd_vendor_name\nZEBULON\n',
  'uk-employers/uk-employers.csv':
    'employer_name,company_number,current_name,postcode\nThistlebrook Ltd,01234567,HARBOURLIGHT LIMITED,LS1 1AA\n',
};

/**
 * Runs each benchmark at a size that says nothing about speed. A benchmark itself checks that the engines agree, that every answer is
 * 200 and charged, and that every change is found.
 */
describe('bench', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
    // Under root, PostgreSQL runs as another user, which must be able to enter the folder.
    chmodSync(folder, 0o755);
    for (const [path, text] of Object.entries(NAMES)) {
      mkdirSync(dirname(join(folder, 'sets', path)), { recursive: true });
      writeFileSync(join(folder, 'sets', path), text);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const bench = (args: string) => run(['bench', ...args.split(' ').filter(Boolean)], { DATA_DIR: folder }, folder);

  for (const [args, name, length] of [
    ['search --rows 1500', 'classes', 17],
    ['import --rows 150 --registers gb,md', 'measurements', 5],
    ['monitor --rows 150', 'bars', 5],
    ['update --entities 3000 --rounds 2', 'stores', 1],
    ['export --rows 1000 --seconds 1 --keys 200 --only-ours', 'formats', 3],
    ['http --rows 500 --seconds 1 --rounds 1 --keys 100 --no-postgres', 'measurements', 5],
    ['match --only employers', 'lines', 4],
  ] as const) {
    test(`bench ${args} prints its figures as JSON`, { timeout: 600_000 }, async () => {
      const data = { match: ' --data sets', update: ' --data .' }[args.split(' ')[0] ?? ''] ?? '';
      const { code, stdout, stderr } = await bench(`${args}${data} --json`);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout)[name].length, length, stdout);
    });
  }

  test('unknown names and values are rejected', async () => {
    for (const [args, message] of [
      ['', 'bench needs one name: import, search, http, scale, update, export, match, monitor, parties.'],
      ['nothing', 'Unknown benchmark "nothing". Use one of: import, search,'],
      ['search --rows many', '--rows needs a whole number of 1 or more.'],
      ['http --keys many', '--keys needs a whole number of 1 or more.'],
      ['match', 'bench match needs --data, the folder'],
    ] as const) {
      const { code, stderr } = await bench(args);
      assert.equal(code, 2, args);
      assert.ok(stderr.includes(message), stderr);
    }
  });
});
