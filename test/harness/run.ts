/**
 * Runs the test files: all of them, or those the arguments name (paths or patterns). `--deep` runs every property test
 * with all its cases, and load and fault tests at full size. `--name` runs only tests whose names match. Node's own
 * runner does the work; this file chooses which files share a process, their order and how many run at the same time, and
 * prints the slowest at the end. In a complete run, the few that fail run once more, one at a time: a test that passes only
 * then is listed, because it depends on the load of the machine and has to be corrected.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareBrowser } from './browser.ts';
import { globalSetup, globalTeardown } from './global-setup.ts';
import { shareProcesses, type Unit } from './sharing.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ALL_TESTS = ['test/**/*.test.ts', 'src/**/*.test.ts'];
const SLOWEST = 10;
/** If more processes fail, the reason is not the load of the machine. */
const MAX_REPEATED = 4;

/** These take longest, so they start first: the run must not end with one of them on one core. */
const LONG =
  /^test\/(shutdown|browser|cli|search\/memory-follow|races\/outage|demo\/demo|machines\/one-service|workers\.|registry\/import-process|readiness)/;

/**
 * Files that start servers and wait much of the time. They alternate with files that mostly compute, so that both cores
 * stay busy, and all of them start in the first part of the run, so that it does not end with one idle core.
 */
const WAITING =
  /^test\/(backup|bench|billing|browser|cli|demo|docker|faults|machines|races|readiness|registry|shutdown|stuck|workers)/;

/** Minutes of load, a large index, a benchmark: too much for every run, so `npm test` leaves these files out. */
const DEEP_ONLY = /^test\/(abuse\/|faults\/(?:soak|worker)|workers-memory|bench\/bench-http)/;

/** Files that load the machine and measure how it copes. Their deep form runs one at a time, after all others. */
const EXCLUSIVE = /^test\/(abuse|faults|fuzz)\/|^test\/client\/random-|^test\/races\/(kill|outage)|^test\/db\/outage/;

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
if (positionals.length === 0) prepareBrowser();
await globalSetup();
try {
  for (const batch of batches) {
    if (isDeep) printBatch(batch);
    const failures = await runBatch(batch);
    const isComplete = !isDeep && positionals.length === 0 && values.name === undefined;
    if (failures.size > 0 && !(isComplete && (await passAlone(failures)))) process.exitCode = 1;
  }
} finally {
  await globalTeardown();
  rmSync(folder, { recursive: true, force: true });
}
printSlowest();

function planBatches(): Batch[] {
  const patterns = positionals.length > 0 ? positionals : ALL_TESTS;
  const files = globSync(patterns, { cwd: root })
    .toSorted()
    .filter((file) => isDeep || !DEEP_ONLY.test(file));
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`);
  // In the deep run, one file may take as long as a process may.
  const units = isDeep
    ? files.map((file) => ({ path: resolve(root, file), files: [file] }))
    : shareProcesses(root, files, folder);
  const matches =
    (pattern: RegExp) =>
    ({ files }: Unit) =>
      files.some((file) => pattern.test(file));
  const isLong = matches(LONG);
  const isWaiting = matches(WAITING);
  const others = units.filter((unit) => !isLong(unit));
  const ordered = [
    ...units.filter(isLong),
    ...alternate(
      others.filter(isWaiting),
      others.filter((unit) => !isWaiting(unit)),
    ),
  ];
  if (!isDeep) return [{ units: ordered, concurrency: 4, timeoutMs: 600_000 }];
  const isExclusive = matches(EXCLUSIVE);
  return [
    { units: ordered.filter((unit) => !isExclusive(unit)), concurrency: 2, timeoutMs: 900_000 },
    { units: ordered.filter(isExclusive), concurrency: 1, timeoutMs: 4 * 3_600_000 },
  ].filter((batch) => batch.units.length > 0);
}

/** Spreads the waiting units evenly over the first three quarters of the order. */
function alternate(waiting: readonly Unit[], computing: readonly Unit[]): Unit[] {
  const rank = (units: readonly Unit[], share: number) =>
    units.map((unit, at) => ({ unit, rank: (share * at) / units.length }));
  return [...rank(waiting, 0.75), ...rank(computing, 1)].toSorted((a, b) => a.rank - b.rank).map(({ unit }) => unit);
}

/** The names of the failed tests by process. */
type Failures = ReadonlyMap<Unit | undefined, readonly string[]>;

async function runBatch({ units, concurrency, timeoutMs }: Batch): Promise<Failures> {
  const failures = new Map<Unit | undefined, string[]>();
  const stream = run({
    files: units.map(({ path }) => path),
    cwd: root,
    concurrency,
    timeout: timeoutMs,
    signal: stop.signal,
    execArgv: ['--preserve-symlinks', '--import', new URL('patient.ts', import.meta.url).href],
    ...(values.name !== undefined && { testNamePatterns: values.name }),
  });
  stream.on('test:fail', ({ file = '', name }) => {
    const unit = units.find(({ path, files }) => path === file || files.includes(relative(root, file)));
    failures.set(unit, [...(failures.get(unit) ?? []), name]);
  });
  stream.on('test:summary', ({ file, duration_ms }) => {
    const unit = units.find(({ path }) => path === file);
    if (unit !== undefined) durations.set(unit, duration_ms);
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return failures;
}

/** Whether all that failed pass when nothing else runs. */
async function passAlone(failures: Failures): Promise<boolean> {
  const units = [...failures.keys()].filter((unit) => unit !== undefined);
  if (stop.signal.aborted || units.length < failures.size || units.length > MAX_REPEATED) return false;
  console.log(`\nRunning what failed once more, one process at a time:`);
  const again = await runBatch({ units, concurrency: 1, timeoutMs: 600_000 });
  const unstable = units.filter((unit) => !again.has(unit));
  if (unstable.length > 0) console.log('\nUnstable: failed among others and passed alone. Please correct these tests:');
  for (const unit of unstable) console.log(`  ${unit.files.join(' ')}: ${failures.get(unit)?.join(', ')}`);
  return again.size === 0;
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
