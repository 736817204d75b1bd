/**
 * Runs the test files of a group, or those that the arguments name (paths or patterns). The name of a file decides its group
 * (`groups.ts`). Node's own runner does the work; this file chooses which processes run at the same time, and prints the slowest files
 * at the end. A test that fails fails the run: nothing is repeated. `README.md` describes the options.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { prepareBrowser } from './browser.ts';
import { FileTimes } from './file-times.ts';
import { globalSetup, globalTeardown } from './global-setup.ts';
import { findTestFiles, type Group, groupOf, root } from './groups.ts';
import { runAlone, shareProcesses, type Unit } from './sharing.ts';

const EXEC_ARGV = ['--preserve-symlinks', '--import', new URL('patient.ts', import.meta.url).href];
const MINUTE_MS = 60_000;

interface Batch {
  readonly units: readonly Unit[];
  readonly concurrency: number;
  readonly timeoutMs: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    deep: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    pg: { type: 'boolean', default: false },
    name: { type: 'string' },
    inspect: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});
const group = (['deep', 'load', 'scale'] as const).find((name) => values[name]);
if (group !== undefined) process.env.DEEP = '1';
if (group === 'load') process.env.EXACT_TIMES = '1';
if (values.pg) process.env.TEST_ENGINES = 'postgres';
// Test files and the servers they start load the same few hundred modules; without a cache each compiles them again.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'firmament-compile-cache');

// Test files end the processes that they have started when they are stopped.
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'firmament-run-'));
const times = new FileTimes(process.env.NODE_COMPILE_CACHE);
const files = findTestFiles(group, positionals);
const isWhole = positionals.length === 0;
if (isWhole && group !== 'scale') prepareBrowser();
await Promise.all([globalSetup(), isWhole && fillCompileCache()]);
try {
  const isOneProcess = values.inspect || values.profile;
  for (const batch of isOneProcess ? [] : planBatches()) if (!(await passes(batch))) process.exitCode = 1;
  if (isOneProcess && !(await passesInOneProcess())) process.exitCode = 1;
} finally {
  await globalTeardown();
  rmSync(folder, { recursive: true, force: true });
}
times.save();
console.log(`\nThe slowest of ${files.length} files, in ${Math.round((performance.now() - started) / 1_000)} s:`);
console.log(times.describeSlowest());

/** Compiles the service while PostgreSQL starts. Otherwise every process that starts before the first one ends would compile it. */
async function fillCompileCache(): Promise<void> {
  const modules = ['service.ts', '../../src/server/serve.ts'].map((path) => new URL(path, import.meta.url));
  const script = modules.map(({ href }) => `import ${JSON.stringify(href)};`).join('');
  const args = [...EXEC_ARGV, '--input-type=module', '--eval', script];
  await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close');
}

/** Files of `npm test` mostly wait and share processes. Those of the other groups load the machine, so they come last and have their own. */
function planBatches(): Batch[] {
  const of = (...groups: Group[]) => files.filter((file) => groups.includes(groupOf(file)));
  // Long files come first. The tests of a file without a time may be in files that it imports.
  const expectTime = (file: string) => times.find(file) || Number.MAX_SAFE_INTEGER;
  const concurrency = (group === undefined ? 3 : 2) * availableParallelism();
  return [
    { units: shareProcesses(of('usual'), times, folder), concurrency, timeoutMs: 20 * MINUTE_MS },
    {
      units: of('deep')
        .toSorted((a, b) => expectTime(b) - expectTime(a))
        .map(runAlone),
      concurrency: availableParallelism() + 1,
      timeoutMs: 15 * MINUTE_MS,
    },
    { units: of('load', 'scale').map(runAlone), concurrency: 1, timeoutMs: 240 * MINUTE_MS },
  ].filter(({ units }) => units.length > 0);
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
  /** The file of the latest test in a suite. Tests are reported before their suite, which `describeOn` has made. */
  let within: string | undefined;
  for (const event of ['test:pass', 'test:fail'] as const) {
    stream.on(event, ({ file, nesting, details }) => {
      if (nesting === 1) within = file;
      if (file === undefined || nesting > 0) return;
      times.add(file.endsWith('/describe-on.ts') ? (within ?? file) : file, details.duration_ms);
    });
  }
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return isPassed;
}

/** For a debugger or a profile (`*.cpuprofile` in this folder): one process, without the runner between. */
async function passesInOneProcess(): Promise<boolean> {
  const args = [
    ...EXEC_ARGV,
    values.inspect ? '--inspect-brk' : '--cpu-prof',
    ...(values.name === undefined ? [] : [`--test-name-pattern=${values.name}`]),
    ...shareProcesses(files, times, folder, files.length).map(({ path }) => path),
  ];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit', signal: stop.signal }), 'close');
  return code === 0;
}
