/**
 * Runs the test files: all of them, or those the arguments name (paths or patterns). `--deep` runs every property test
 * with all its cases, and load and fault tests at full size. `--name` runs only tests whose names match. Node's own
 * runner does the work; this file chooses the order of the files and how many run at the same time, and prints the
 * slowest files at the end.
 */
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from './global-setup.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ALL_TESTS = ['test/**/*.test.ts', 'src/**/*.test.ts'];
const SLOWEST = 10;

/**
 * Files that start servers and wait much of the time. They alternate with files that mostly compute, so that both cores
 * stay busy, and all of them start in the first part of the run, so that it does not end with one idle core.
 */
const WAITING =
  /^test\/(backup|bench|billing|browser|cli|demo|docker|faults|machines|races|readiness|registry|shutdown|stuck|workers)/;

/** Minutes of load, a large index, a benchmark: too much for every run, so `npm test` leaves these files out. */
const DEEP_ONLY = /^test\/(abuse\/|faults\/soak|workers-memory|bench\/bench-http)/;

/** Files that load the machine and measure how it copes. Their deep form runs one at a time, after all others. */
const EXCLUSIVE = /^test\/(abuse|faults|fuzz)\/|^test\/races\/(kill|outage)|^test\/db\/outage/;

interface Batch {
  readonly files: readonly string[];
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

const started = performance.now();
const durations = new Map<string, number>();
const batches = planBatches();
await globalSetup();
try {
  for (const batch of batches) {
    if (isDeep) printBatch(batch);
    await runBatch(batch);
  }
} finally {
  await globalTeardown();
}
printSlowest();

function planBatches(): Batch[] {
  const patterns = positionals.length > 0 ? positionals : ALL_TESTS;
  const files = globSync(patterns, { cwd: root })
    .toSorted()
    .filter((file) => isDeep || !DEEP_ONLY.test(file));
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`);
  const ordered = alternate(
    files.filter((file) => WAITING.test(file)),
    files.filter((file) => !WAITING.test(file)),
  );
  if (!isDeep) return [{ files: ordered, concurrency: 3, timeoutMs: 120_000 }];
  return [
    { files: ordered.filter((file) => !EXCLUSIVE.test(file)), concurrency: 2, timeoutMs: 900_000 },
    { files: ordered.filter((file) => EXCLUSIVE.test(file)), concurrency: 1, timeoutMs: 4 * 3_600_000 },
  ].filter((batch) => batch.files.length > 0);
}

/** Spreads the waiting files evenly over the first three quarters of the order. */
function alternate(waiting: readonly string[], computing: readonly string[]): string[] {
  const rank = (files: readonly string[], share: number) =>
    files.map((file, at) => ({ file, rank: (share * at) / files.length }));
  return [...rank(waiting, 0.75), ...rank(computing, 1)].toSorted((a, b) => a.rank - b.rank).map(({ file }) => file);
}

async function runBatch({ files, concurrency, timeoutMs }: Batch): Promise<void> {
  const stream = run({
    files: files.map((file) => resolve(root, file)),
    cwd: root,
    concurrency,
    timeout: timeoutMs,
    ...(values.name !== undefined && { testNamePatterns: values.name }),
  });
  stream.on('test:fail', () => {
    process.exitCode = 1;
  });
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) durations.set(relative(root, file), duration_ms);
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
}

function printBatch({ files, concurrency }: Batch): void {
  console.log(`Running ${files.length} files with all cases on both databases, ${concurrency} at a time:`);
  for (const file of files) console.log(`  ${file}`);
}

function printSlowest(): void {
  const slowest = [...durations].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  console.log(`\nThe slowest of ${durations.size} files, in ${seconds(performance.now() - started)} s:`);
  for (const [file, ms] of slowest) console.log(`${seconds(ms).padStart(8)} s  ${file}`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
