import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ImportMeasurement } from '../../bench/import/bench.ts';
import type { ImportBar } from '../../bench/import/report.ts';
import type { MonitorFigures } from '../../bench/monitor/bench.ts';
import type { MonitorBar } from '../../bench/monitor/report.ts';
import type { ClassFigures, SearchFigures } from '../../bench/search/bench.ts';
import { registers } from '../../src/registers/index.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { type Ended, run } from '../harness/process.ts';

/** Runs the benchmarks at a size that says nothing about speed. They must run, and all three engines must agree. */
const ROWS = String(runs(1_500, 3_000));
let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'firmament-bench-'));
  // Under root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(folder, 0o755);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]): Promise<Ended> => run(['bench', ...args], { DATA_DIR: folder }, folder);

test('bench search sends the same queries to three engines and prints the figures as JSON', async () => {
  const { code, stdout, stderr } = await bench('search', '--rows', ROWS, '--json');
  assert.equal(code, 0, stderr);
  const figures: SearchFigures & { bars: { passed: boolean }[] } = JSON.parse(stdout);
  assert.equal(figures.rows, Number(ROWS));
  assert.equal(figures.build.entities, Number(ROWS));
  assert.ok(figures.build.bytes > 0 && figures.build.seconds > 0 && figures.load.loadSeconds > 0);
  assert.equal(figures.classes.length, 13);
  for (const figure of [...figures.classes, figures.mixed]) checkClass(figure);
  assert.equal(figures.bars.length, 5);
  for (const { passed } of figures.bars) assert.equal(typeof passed, 'boolean');
});

/** The benchmark itself checks that the totals agree, for every query counted here. */
function checkClass({ name, queries, ours, rivals }: ClassFigures): void {
  assert.ok(queries >= 5, `${name} has ${queries} queries`);
  assert.ok(ours.median > 0 && ours.p99 >= ours.median, name);
  for (const rival of [rivals.postgres, rivals.sqlite]) {
    assert.ok(rival !== undefined && rival.median > 0 && rival.p99 >= rival.median, name);
    // A rival whose time is up has answered at least six queries of a class.
    assert.ok(rival.queries >= Math.min(5, queries) && rival.queries <= queries, `${name}: ${rival.queries} queries`);
    assert.ok(rival.medianRatio > 0 && rival.p99Ratio > 0, name);
  }
}

test('bench search reuses its data, prints tables, and can leave the rivals out', async () => {
  const { code, stdout, stderr } = await bench('search', '--rows', ROWS, '--only-ours');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^mixed {2}/m);
  assert.match(stdout, /^index bytes per entity .* (?:passed|missed)$/m);
  assert.doesNotMatch(stdout, /POSTGRES|FTS5/);
});

test('bench monitor compares imports with monitors, delivers webhooks, and judges both', async () => {
  const { code, stdout, stderr } = await bench('monitor', '--rows', '150', '--json');
  assert.equal(code, 0, stderr);
  const figures: MonitorFigures & { bars: readonly MonitorBar[] } = JSON.parse(stdout);
  assert.deepEqual([figures.changes, figures.watched, figures.events], [150, 150, 150]);
  assert.ok(figures.importSeconds > 0 && figures.besideSeconds > 0);
  assert.equal(figures.delivery.first.length, 2);
  assert.equal(figures.delivery.delivered, 1_800);
  assert.ok(figures.delivery.deliveryCpu > 0 && figures.delivery.transactions > 0 && figures.peakMegabytes > 0);
  assert.deepEqual(
    figures.bars.map(({ name }) => name),
    [
      'comparing',
      'additional memory',
      'added to the import',
      'import to first webhook, p99',
      '90 receivers beside 10 that hang',
    ],
  );
  for (const { measured, atMost, passed } of figures.bars) assert.equal(passed, measured <= atMost);
});

/** Each register takes two processes, so all of them are measured in the deep run only. */
const isOfParties = ({ register }: ImportMeasurement) => register.includes(' ');
const PARTY_SETS = [
  ...['ee officers', 'ee off_card', 'ee shareholders', 'gb psc', 'gleif relationships', 'gleif exceptions'],
  ...['lv officers', 'lv members', 'lv stockholders', 'lv beneficial_owners', 'no roles'],
];

test('bench import measures registers and their parties, counts joined rows, and changes some companies', async () => {
  const options = ['--rows', '150', '--json', ...(isDeep ? ['--all'] : ['--registers', 'gb,md'])];
  const { code, stdout, stderr } = await bench('import', ...options);
  assert.equal(code, 0, stderr);
  const { measurements: measured, bars }: { measurements: ImportMeasurement[]; bars: ImportBar[] } = JSON.parse(stdout);
  const [parties, companies] = [measured.filter(isOfParties), measured.filter((each) => !isOfParties(each))];
  assert.deepEqual(
    new Set(companies.map(({ register }) => register)),
    new Set(isDeep ? registers.map(({ id }) => id) : ['gb', 'md']),
  );
  assert.deepEqual(
    parties.map(({ register }) => register),
    isDeep ? PARTY_SETS : ['gb psc'],
  );
  for (const { register, run, rows, records, written, rowsPerSecond, peakMegabytes } of companies) {
    assert.ok(records >= 149 && rows >= records && rowsPerSecond > 0 && peakMegabytes > 0, register);
    assert.ok(run === 'first' ? written >= 149 : written >= 1 && written < 20, `${register}: ${written} written`);
  }
  for (const { register, rows, written, cpuMicros, peakMegabytes } of parties) {
    assert.ok(
      rows >= written && written >= 50 && cpuMicros > 0 && peakMegabytes > 0,
      `${register}: ${written} written`,
    );
  }
  for (const { register, rowsPerSecond } of measured.filter(({ run }) => run === 'first')) {
    const required = register === 'gb' ? 40_000 : register.includes(' ') ? 25_000 : 20_000;
    const bar = { name: `${register}, sqlite`, rowsPerSecond, required, passed: rowsPerSecond >= required };
    assert.deepEqual(
      bars.filter(({ name }) => name === bar.name),
      [bar],
    );
  }
  const belgian = measured.find(({ register }) => register === 'be');
  assert.ok(!isDeep || (belgian !== undefined && belgian.rows > 5 * belgian.records));
});

test('bench rejects unknown names and values', async () => {
  const needed = 'bench needs one name: import, search, http, scale, update, export, match, monitor, parties.';
  for (const [args, message] of [
    [[], needed],
    [['search', 'import'], needed],
    [
      ['nothing'],
      'Unknown benchmark "nothing". Use one of: import, search, http, scale, update, export, match, monitor, parties.',
    ],
    [['search', '--rows', 'many'], '--rows needs a whole number of 1 or more.'],
  ] as const) {
    const { code, stderr } = await bench(...args);
    assert.equal(code, 2, args.join(' '));
    assert.ok(stderr.startsWith(message), stderr);
  }
});

test('bench http rejects options that are not whole numbers', async () => {
  for (const option of ['--seconds', '--rounds', '--keys']) {
    const { code, stderr } = await run(['bench', 'http', option, 'many']);
    assert.equal(code, 2, option);
    assert.match(stderr, new RegExp(`^${option} needs a whole number of 1 or more\\.`));
  }
});
