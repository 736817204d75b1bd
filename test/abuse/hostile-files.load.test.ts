import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, type Engine, engines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { run, start } from '../harness/process.ts';
import { type HostileFile, hostileFiles } from './hostile-files.ts';

/** Above the memory of an import of one small file. */
const MAX_EXTRA_MB = 350;
const MIN_IDLE_MB = 100;
/** Official files of the same size take a few seconds. */
const MAX_SECONDS = 120;

/** Runs an import and returns its output and its peak memory. */
async function importFiles(engine: Engine, { register, files }: Pick<HostileFile, 'register' | 'files'>) {
  await using database = await createDatabase(engine);
  await using office = openOffice(database);
  await office.services.migrate();
  const folder = mkdtempSync(join(database.dataDir, 'in-'));
  const names = Object.entries(await files()).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return name;
  });
  const env = { DATA_DIR: database.dataDir, ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }) };
  const started = performance.now();
  const running = start(['import', register, '--partial', ...names], env, folder);
  let megabytes = 0;
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, readPeak(running.pid));
  }, 20);
  const ended = await running.ended;
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1_000;
  const left = await run(['registers', '--json'], env, folder);
  const entities = (JSON.parse(left.stdout) as { entities: number }[]).reduce((sum, one) => sum + one.entities, 0);
  rmSync(folder, { recursive: true });
  return { ...ended, megabytes, seconds, entities };
}

/** The peak so far of a process that may have ended, in MB. */
function readPeak(pid: number): number {
  try {
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

const small = { register: 'no', files: async () => ({ 'a.json': '[]' }) };
for (const engine of engines) {
  // A file that is refused while it is read never reaches the database.
  const files = hostileFiles.filter(({ refused }) => engine === 'sqlite' || refused === undefined);
  let idleMegabytes: number | undefined;

  for (const file of files) {
    test(`${file.name}, on ${engine}`, { timeout: 600_000 }, async (t) => {
      // The process can end before it is measured for the first time.
      idleMegabytes ??= Math.max(MIN_IDLE_MB, (await importFiles(engine, small)).megabytes);
      const { code, stderr, entities, megabytes, seconds } = await importFiles(engine, file);
      t.diagnostic(`exit code ${code} after ${seconds.toFixed(1)} s, peak ${megabytes} MB`);
      assert.doesNotMatch(stderr, /^\s+at .+:\d+/m, 'a stack trace');
      if (file.refused === undefined) assert.equal(code, 0, stderr);
      else {
        // One sentence that names the file, with nothing stored.
        assert.deepEqual([code, entities], [1, 0]);
        assert.match(stderr, file.refused);
      }
      assert.ok(megabytes - idleMegabytes < MAX_EXTRA_MB, `${megabytes} MB, ${idleMegabytes} MB for a small import`);
      assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
    });
  }
}
