import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { MatchFigures } from '../../bench/match/bench.ts';
import type { SpeedFigures } from '../../bench/match/speed.ts';
import { type Ended, run } from '../harness/process.ts';

/** Data sets in the formats of the real ones, with names that are easy to tell apart. */
const files: Readonly<Record<string, string>> = {
  'name-bench/cases.csv':
    'schema,name1,name2,is_match,quality\n' +
    'Company,Zebulon Foods Ltd,Zebulon Foods Limited,true,STRONG\n' +
    'Company,Quarzwerk Fund III,Quarzwerk Fund IV,true,STRONG\n' +
    'Person,Ann Elm,Ann Elm,true,STRONG\n',
  'name-bench/register-view.csv':
    'schema,name1,name2,published,register_view\nCompany,Quarzwerk Fund III,Quarzwerk Fund IV,true,false\n',
  'goc-vendors/original_vendor_names.csv':
    'normalized_vendor_name,original_vendor_name\n' +
    'ZEBULON FOODS,Zebulon Foodz Ltd\nQUARZWERK MINING,Quarzwerk Minning Inc.\n',
  'goc-vendors/vendor_normalization_data.csv': 'parent_company,company_name\nZEBULON FOODS,ZEBULON\n',
  'goc-vendors/all-vendors.csv': 'd_vendor_name\nALBION ELM\nZEBULON FOODS\n',
  'uk-employers/uk-employers.csv':
    'employer_name,company_number,current_name,postcode\n' +
    'Thistlebrook Holdings Ltd,01234567,HARBOURLIGHT LIMITED,LS1 1AA\n' +
    'Nettlecombe Ltd,07654321,NETTLECOMBE LTD,YO1 1AA\n',
  'legal-forms/2023-09-28-elf-code-list-v1.5.csv': 'ELF Code,Entity Legal Form name Local name\nAAAA,Limited\n',
  'legal-forms/rigour-org_types.yml': 'types:\n  - display: Ltd\n    aliases:\n      - Zebulon\n',
};

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'firmament-bench-match-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'sets', path)), { recursive: true });
    writeFileSync(join(folder, 'sets', path), text);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]): Promise<Ended> =>
  run(['bench', 'match', '--data', join(folder, 'sets'), ...args], { DATA_DIR: folder }, folder);

test('bench match compares answers with labels and says which lines are below the bar', async () => {
  const { stdout, stderr } = await bench('--json');
  const figures: MatchFigures = JSON.parse(stdout || '{}');
  const all = new Map(figures.lines.map(({ name, figures: { all } }) => [name, all]));
  assert.equal(figures.lines.length, 13, stderr);
  assert.equal(all.get('goc-vendors, lexical: recall@1'), 1);
  assert.equal(all.get('goc-vendors, truth absent: false matches'), 0);
  assert.equal(all.get('goc-vendors with distractors: recall@5'), 1);
  assert.equal(all.get('uk-employers, one typo: recall@1'), 1);
  assert.equal(all.get('uk-employers, former name: recall@1'), 1);
  assert.equal(all.get('name_bench, register view: best F1'), 1);
  // With so few companies every word is rare, so the two names with their words swapped match. “Zebulon” and “Limited” do not.
  assert.equal(all.get('forms and common words only: wrong matches'), 2);
  assert.deepEqual(
    figures.changedLabels.map(({ asked }) => asked),
    ['Quarzwerk Fund III'],
  );
});

test('bench match --only measures the parts that are named', async () => {
  const { code, stdout, stderr } = await bench('--only', 'employers', '--json');
  assert.equal(code, 0, stderr);
  const { lines }: MatchFigures = JSON.parse(stdout);
  assert.deepEqual(
    lines.map(({ name }) => name),
    ['uk-employers, one typo: recall@1', 'uk-employers, former name: recall@1'],
  );
  const wrong = await bench('--only', 'vendor');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Did you mean "vendors"\?/);
});

test('bench match --entities measures the speed with invented companies', async () => {
  const { stdout, stderr } = await bench('--entities', '3000', '--json');
  const figures: SpeedFigures & { readonly bars: readonly { readonly name: string }[] } = JSON.parse(stdout || '{}');
  assert.equal(figures.entities, 3_000, stderr);
  assert.deepEqual(
    figures.kinds.map(({ queries }) => queries),
    Array(9).fill(9),
  );
  const found = new Map(figures.kinds.map(({ name, found }) => [name, found]));
  assert.deepEqual([found.get('as registered'), found.get('unknown words')], [9, 0]);
  assert.ok((found.get('one typo') ?? 0) > 6);
  for (const figure of [figures.perSecondAndCore, figures.all.p99, figures.longestTurn, figures.bytesPerEntity])
    assert.ok(figure > 0);
  assert.equal(figures.bars.length, 4);
});

test('bench match says which options it needs', async () => {
  const unknown = await bench('--engine', 'postgers');
  assert.deepEqual([unknown.code, /Did you mean "postgres"/.test(unknown.stderr)], [2, true]);
  const nothing = await run(['bench', 'match'], { DATA_DIR: folder }, folder);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /needs --data, the folder .*, or --entities/);
});
