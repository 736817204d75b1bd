/**
 * Shows what the tests do not notice: changes single places of `src/` (mutations.ts), and runs the tests that reach each place until one
 * fails. `CONTRIBUTING.md` describes the options. It works on copies of the repository in the temporary folder, and keeps what it knows
 * in a file of results, so that a run that was stopped goes on.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { applyMutation, drawMutations, type Mutation, recordAt } from './mutations.ts';

interface TestRun {
  readonly passed: boolean;
  readonly ms: number;
}

interface Verdict {
  readonly mutation: Mutation;
  readonly killedBy?: string;
  readonly survived?: number;
}

interface Results {
  readonly mutants: Mutation[];
  /** Each test file without a mutation. What fails then says nothing about mutants. */
  readonly tests: Record<string, TestRun>;
  /** For each mutant, the test files that reach its place. */
  readonly reached: Record<string, string[]>;
  readonly verdicts: Record<string, Verdict>;
}

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: fileURLToPath(new URL('../', import.meta.url)) },
    results: { type: 'string', default: 'mutants.json' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
    from: { type: 'string' },
    only: { type: 'string' },
    tests: { type: 'string', default: 'test/**/*.test.ts' },
    skip: { type: 'string', default: String.raw`\.(?:load|scale)\.test\.ts$` },
    jobs: { type: 'string', default: String(availableParallelism()) },
    usual: { type: 'boolean', default: false },
  },
});

/** Test files in one process, after the nearest have passed one by one. */
const BATCH_SIZE = 8;
/** Files that change their process, as in test/harness/sharing.ts. */
const ALONE = /\/impatient\.ts'|^(?:before|after)\(/m;
const MINUTE_MS = 60_000;
/** For tests that a mutant makes wait forever. */
const LIMIT = { minMs: 3 * MINUTE_MS, times: 8 } as const;

/** Finds the test file by the command lines of this process and of those that started it: its children get nothing of its environment. */
const RECORDER = `
const { appendFileSync, readFileSync } = require('node:fs');
const cache = {};
function findTest(pid) {
  const words = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0');
  const test = words.find((word) => /\\btest\\/.*\\.test\\.ts$/.test(word));
  if (test) return test.replace(/^.*?\\/(?=test\\/)/, '');
  const [, parent] = /^PPid:\\t(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8')) ?? [];
  return Number(parent) > 1 ? findTest(parent) : 'unknown';
}
let test;
module.exports = (number) => {
  test ??= findTest(process.pid);
  appendFileSync(LOG, number + ' ' + test + '\\n');
  return true;
};`;

/** Of test files and sources, for their distance. */
const imports = new Map<string, readonly string[]>();

const root = resolve(values.root);
const results = loadResults();
setPriority(19);
const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
process.once('SIGINT', () => process.exit(1));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { globalSetup, globalTeardown } = await import(pathToFileURL(join(root, 'test/harness/global-setup.ts')).href);
await globalSetup();
try {
  const copies = Array.from({ length: Number(values.jobs) }, (_, at) => copyTree(join(folder, `tree-${at}`)));
  await findReached(copies);
  const chosen = values.only?.split(',').map(Number);
  const numbers = results.mutants.keys().filter((at) => chosen?.includes(at) ?? true);
  await share([...numbers], copies, judge);
} finally {
  await globalTeardown();
}
printTable();

function loadResults(): Results {
  const load = (path: string): Results => JSON.parse(readFileSync(path, 'utf8'));
  if (existsSync(values.results)) return load(values.results);
  const files = globSync('src/**/*.ts', { cwd: root }).toSorted();
  const mutants =
    values.from === undefined
      ? drawMutations(root, files, Number(values.seed), Number(values.count))
      : load(values.from).mutants;
  return { mutants, tests: {}, reached: {}, verdicts: {} };
}

function save(): void {
  writeFileSync(values.results, JSON.stringify(results, undefined, 1));
}

/** A copy of hard links, which takes seconds. Only files that are replaced, not written to, may be changed in it. */
function copyTree(to: string, from = root): string {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === '.git' || entry.name === '.data') continue;
    if (entry.isDirectory()) copyTree(target, source);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) {
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
    }
  }
  return to;
}

function readSource(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function replaceFile(copy: string, file: string, text: string): void {
  rmSync(join(copy, file));
  writeFileSync(join(copy, file), text);
}

/** Each worker takes the next item when it is free. */
async function share<Item>(items: Item[], copies: string[], work: (item: Item, copy: string) => Promise<void>) {
  const queue = [...items];
  const takeNext = async (copy: string) => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, copy);
  };
  await Promise.all(copies.map(takeNext));
}

/** Runs every test file once, with all places recorded. */
async function findReached(copies: string[]): Promise<void> {
  const skip = new RegExp(values.skip);
  const files = globSync(values.tests, { cwd: root }).filter((file) => !skip.test(file));
  const left = files.filter((file) => !(file in results.tests)).toSorted();
  if (left.length === 0) return;
  console.log(`Finding what ${left.length} test files reach`);
  const log = join(folder, 'reached');
  const recorder = join(folder, 'recorder.cjs');
  writeFileSync(recorder, RECORDER.replace('LOG', JSON.stringify(log)));
  const places = Map.groupBy(
    results.mutants.map((mutation, number) => ({ mutation, code: recordingOf(number, recorder) })),
    ({ mutation }) => mutation.file,
  );
  const changed = new Map(places.entries().map(([file, own]) => [file, recordAt(readSource(file), own)]));
  for (const copy of copies) for (const [file, text] of changed) replaceFile(copy, file, text);
  await share(left, copies, async (file, copy) => {
    const { passed, ms } = await runTests(copy, [file], values.usual ? 'usual' : 'deep', 15 * MINUTE_MS);
    results.tests[file] = { passed, ms };
    const lines = existsSync(log) ? new Set(readFileSync(log, 'utf8').trim().split('\n')) : [];
    for (const line of lines) {
      const [number = '', test = ''] = line.split(' ');
      results.reached[number] = [...new Set(results.reached[number]).add(test)];
    }
    save();
    console.log(`${passed ? 'passed' : 'FAILED'} ${Math.round(ms / 1_000)} s ${file}`);
  });
  for (const copy of copies) for (const file of changed.keys()) restore(copy, file);
}

function recordingOf(number: number, recorder: string): string {
  const load = `process.getBuiltinModule('node:module').createRequire('/')(${JSON.stringify(recorder)})`;
  return `globalThis[Symbol.for('reached${number}')] ??= ${load}(${number})`.replace(/^(.*)$/, '($1)');
}

function restore(copy: string, file: string): void {
  rmSync(join(copy, file));
  copyFileSync(join(root, file), join(copy, file));
}

/** In the order in which a failure is most likely and cheapest to find: nearest first, as in `npm test` before the deep form. */
async function judge(number: number, copy: string): Promise<void> {
  const mutation = results.mutants[number];
  if (mutation === undefined || number in results.verdicts) return;
  const reaching = (results.reached[number] ?? []).filter((file) => results.tests[file]?.passed);
  const nearest = orderByDistance(mutation.file, reaching);
  const usual = nearest.filter((file) => !file.endsWith('.deep.test.ts'));
  const steps = [
    ...batchesOf(usual).map((files) => ({ files, depth: 'usual' as const })),
    ...(values.usual ? [] : batchesOf(nearest)).map((files) => ({ files, depth: 'deep' as const })),
  ];
  replaceFile(copy, mutation.file, applyMutation(readSource(mutation.file), mutation));
  let killedBy: string | undefined;
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const { files, depth } = step;
    const usualMs = files.reduce((sum, file) => sum + (results.tests[file]?.ms ?? 0), 0);
    const limitMs = Math.max(LIMIT.minMs, LIMIT.times * usualMs);
    const { passed, failed } = await runTests(copy, files, depth, limitMs);
    if (passed) continue;
    restore(copy, mutation.file);
    // A test that fails without the mutation too has not noticed it.
    const again = await runTests(copy, files, depth, limitMs);
    if (again.passed) {
      killedBy = failed ?? files[0];
      break;
    }
    if (files.length > 1) steps.unshift(...files.map((file) => ({ files: [file], depth })));
    replaceFile(copy, mutation.file, applyMutation(readSource(mutation.file), mutation));
  }
  restore(copy, mutation.file);
  results.verdicts[number] = killedBy === undefined ? { mutation, survived: nearest.length } : { mutation, killedBy };
  save();
  console.log(describeVerdict(number));
}

function batchesOf(files: readonly string[]): string[][] {
  const isSingle = (file: string, at: number) => at < 4 || ALONE.test(readSource(file));
  const singles = files.filter(isSingle).map((file) => [file]);
  const rest = files.filter((file, at) => !isSingle(file, at));
  return [
    ...singles,
    ...Array.from({ length: Math.ceil(rest.length / BATCH_SIZE) }, (_, at) =>
      rest.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
    ),
  ];
}

/** Files of the folder with the same name, then files that import the source over fewer others, then fast ones. */
function orderByDistance(file: string, tests: readonly string[]): string[] {
  const [, place] = file.split('/');
  const scoreOf = (test: string) => {
    const depth = findDistance(test, file);
    return (test.split('/')[1] === place ? 0 : 4) + depth + Math.min(3, (results.tests[test]?.ms ?? 0) / 20_000);
  };
  const scores = new Map(tests.map((test) => [test, scoreOf(test)]));
  return tests.toSorted((a, b) => (scores.get(a) ?? 0) - (scores.get(b) ?? 0));
}

function listImports(file: string): readonly string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const path = join(root, file);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const found = Array.from(source.matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g), ([, specifier = '']) =>
    posix.join(dirname(file), specifier),
  );
  imports.set(file, found);
  return found;
}

function findDistance(from: string, to: string): number {
  const seen = new Set([from]);
  let level = [from];
  for (let depth = 0; level.length > 0; depth++) {
    if (level.includes(to)) return depth;
    level = level.flatMap(listImports).filter((file) => !seen.has(file) && seen.add(file));
  }
  return 12;
}

/** All files in one process. Stops it, and what it has started, when its time is up. */
async function runTests(copy: string, files: readonly string[], depth: 'usual' | 'deep', limitMs: number) {
  const { DEEP: _, ...env } = process.env;
  const started = performance.now();
  let [path = ''] = files.map((file) => join(copy, file));
  if (files.length > 1) {
    path = join(copy, 'test', `batch-${process.pid}.test.mjs`);
    writeFileSync(path, files.map((file) => `import './${posix.relative('test', file)}';\n`).join(''));
  }
  const patient = pathToFileURL(join(copy, 'test/harness/patient.ts')).href;
  const child = spawn(process.execPath, ['--preserve-symlinks', '--import', patient, path], {
    cwd: copy,
    detached: true,
    env: { ...env, ...(depth === 'deep' && { DEEP: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const end = (signal: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, signal);
  const timers = [setTimeout(() => child.kill('SIGTERM'), limitMs), setTimeout(() => end('SIGKILL'), limitMs + 10_000)];
  const [code] = await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  const [, failed] =
    /^\s*(?:test at |location: '.*?)(test\/\S+\.test\.ts):\d+/m.exec(output.split('failing tests')[1] ?? output) ?? [];
  return { passed: code === 0, failed, ms: performance.now() - started };
}

function describeVerdict(number: number): string {
  const mutation = results.mutants[number];
  const verdict = results.verdicts[number];
  if (mutation === undefined) return '';
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);
  const outcome =
    verdict === undefined
      ? 'not run'
      : (verdict.killedBy ?? (verdict.survived === 0 ? 'NOT REACHED' : `SURVIVED ${verdict.survived} files`));
  return `${number}\t${mutation.file}:${mutation.line}\t${short(mutation.was)} → ${short(mutation.now)}\t${outcome}`;
}

function printTable(): void {
  for (const number of results.mutants.keys()) if (number in results.verdicts) console.log(describeVerdict(number));
  const verdicts = Object.values(results.verdicts);
  console.log(`${verdicts.filter(({ killedBy }) => killedBy !== undefined).length} of ${verdicts.length} killed`);
}
