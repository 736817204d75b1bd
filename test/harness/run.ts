/**
 * Runs the test files: all of them, or those the arguments name (paths or patterns). `--deep` runs every property test
 * with all its cases, and load and fault tests at full size. `--name` runs only tests whose names match. Node's own
 * runner does the work; this file chooses how many processes run at the same time, and prints the slowest at the end. A test that fails fails the run. `README.md` describes the harness.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareBrowser } from './browser.ts';
import { globalSetup, globalTeardown } from './global-setup.ts';
import { shareProcesses, type Unit } from './sharing.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ALL_TESTS = ['test/**/*.test.ts'];
const SLOWEST = 10;
const EXEC_ARGV = ['--preserve-symlinks', '--import', new URL('patient.ts', import.meta.url).href];

/** Minutes of load, a large index, benchmarks of servers under full load, a Java program: too much for every run, so `npm test` leaves these files out. */
const DEEP_ONLY = /^test\/(abuse\/|faults\/(?:soak|worker)|workers-memory|bench\/bench-(?:export|http)|openrefine\/)/;

/** Needs a library of 178 MB: `npm run test:scale` names these files. */
const SCALE = /^test\/scale\//;

/** Files that load the machine and measure how it copes. Their deep form runs one at a time, after all others. */
const EXCLUSIVE =
  /^test\/(abuse|faults|fuzz|openrefine|scale)\/|^test\/client\/random-|^test\/(races|webhooks)\/(kill|outage)|^test\/db\/outage/;

interface Batch {
  readonly units: readonly Unit[];
  readonly concurrency: number;
  readonly timeoutMs: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { deep: { type: 'boolean' }, name: { type: 'string' } },
});
const isDeep = values.deep === true;
if (isDeep) process.env.DEEP = '1';
// Test files and the servers they start load the same few hundred modules; without a cache each compiles them again.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'firmament-compile-cache');

// Test files end the processes that they have started when they are stopped.
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

const started = performance.now();
const durations = new Map<Unit, number>();
const folder = mkdtempSync(join(tmpdir(), 'firmament-run-'));
const batches = planBatches();
const isWhole = positionals.length === 0;
if (isWhole) prepareBrowser();
await Promise.all([globalSetup(), isWhole && fillCompileCache()]);
try {
  for (const batch of batches) {
    if (isDeep) printBatch(batch);
    if (!(await passes(batch))) process.exitCode = 1;
  }
} finally {
  await globalTeardown();
  rmSync(folder, { recursive: true, force: true });
}
printSlowest();

/** Compiles the service while PostgreSQL starts. Otherwise every process that starts before the first one ends would compile it. */
async function fillCompileCache(): Promise<void> {
  const modules = ['service.ts', '../../src/commands/serve.ts'].map((path) => new URL(path, import.meta.url));
  const script = modules.map(({ href }) => `import ${JSON.stringify(href)};`).join('');
  const args = [...EXEC_ARGV, '--input-type=module', '--eval', script];
  await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close');
}

function planBatches(): Batch[] {
  const patterns = positionals.length > 0 ? positionals : ALL_TESTS;
  const files = globSync(patterns, { cwd: root })
    .toSorted()
    .filter((file) => isDeep || !DEEP_ONLY.test(file))
    .filter((file) => positionals.length > 0 || !SCALE.test(file));
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`);
  // In the deep run, one file may take as long as a process may.
  const units = isDeep
    ? files.map((file) => ({ path: resolve(root, file), files: [file] }))
    : shareProcesses(root, files, folder);
  if (!isDeep) return [{ units, concurrency: 6, timeoutMs: 1_200_000 }];
  const isExclusive = ({ files }: Unit) => files.some((file) => EXCLUSIVE.test(file));
  return [
    { units: units.filter((unit) => !isExclusive(unit)), concurrency: 2, timeoutMs: 900_000 },
    { units: units.filter(isExclusive), concurrency: 1, timeoutMs: 4 * 3_600_000 },
  ].filter((batch) => batch.units.length > 0);
}

async function passes({ units, concurrency, timeoutMs }: Batch): Promise<boolean> {
  let isPassed = true;
  const stream = run({
    files: units.map(({ path }) => path),
    cwd: root,
    concurrency,
    timeout: timeoutMs,
    signal: stop.signal,
    execArgv: EXEC_ARGV,
    ...(values.name !== undefined && { testNamePatterns: values.name }),
  });
  stream.on('test:fail', () => {
    isPassed = false;
  });
  stream.on('test:summary', ({ file, duration_ms }) => {
    const unit = units.find(({ path }) => path === file);
    if (unit !== undefined) durations.set(unit, duration_ms);
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return isPassed;
}

function printBatch({ units, concurrency }: Batch): void {
  const files = units.flatMap((unit) => unit.files);
  console.log(`Running ${files.length} files with all cases on both databases, ${concurrency} at a time:`);
  for (const file of files) console.log(`  ${file}`);
}

function printSlowest(): void {
  const slowest = [...durations].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  console.log(`\nThe slowest of ${durations.size} processes, in ${seconds(performance.now() - started)} s:`);
  for (const [{ files }, ms] of slowest) console.log(`${seconds(ms).padStart(8)} s  ${files.join(' ')}`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
