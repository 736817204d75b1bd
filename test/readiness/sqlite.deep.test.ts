import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DETAIL } from '../api/metered-service.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { checkReadinessFollows, type Fault, readStatus } from './follow-readiness.ts';

/**
 * Files are changed by other programs, as an operator would: if this process closed one of SQLite's files, it would lose SQLite's
 * locks on it.
 */
const run = (command: string, ...options: string[]) => execFileSync(command, options, { stdio: 'pipe' });

async function startWithData(database?: TestDatabase): Promise<TestService> {
  const service = await startService('sqlite', { ...(database && { database }) });
  await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  await service.findKey();
  await checkpoint(service);
  return service;
}

/** Everything is in the main files, as after a while of operation; a small database would be in the write-ahead log only. */
async function checkpoint(service: TestService): Promise<void> {
  for (const store of ['accounts', 'registry']) await inOtherProcess(fileOf(service, store), CHECKPOINT);
}

const fileOf = ({ database }: TestService, store: string) => join(database.dataDir, `${store}.db`);

/** A thread that reads for the search index can prevent it, so it is tried until it succeeds. */
const CHECKPOINT =
  'const log = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)"); ' +
  'while (log.get().busy !== 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); ' +
  'console.log("done"); process.exit()';
const LOCK = 'database.exec("BEGIN IMMEDIATE"); console.log("done"); setInterval(() => {}, 1000)';
const VACUUM =
  'database.exec("DELETE FROM bulk; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); console.log("done"); process.exit()';
const GROW =
  'database.exec("CREATE TABLE bulk AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) ' +
  'SELECT i, randomblob(10000) AS x FROM n; PRAGMA wal_checkpoint(TRUNCATE)"); console.log("done"); process.exit()';

/** Runs a script with the database open, until it has printed a line. Returns a function that ends the process. */
async function inOtherProcess(file: string, script: string): Promise<() => Promise<void>> {
  const setUp = `const database = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 60000 });`;
  const child = spawn(process.execPath, ['-e', setUp + script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [output] = await Promise.race([once(child.stdout, 'data'), ended.then(() => ['ended'])]);
  assert.equal(String(output).trim(), 'done');
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

function lockFile(store: string): Fault {
  let release = async () => {};
  return {
    async begin(service) {
      release = await inOtherProcess(fileOf(service, store), LOCK);
    },
    end: () => release(),
  };
}

function empty(store: string): Fault {
  return {
    begin(service) {
      const file = fileOf(service, store);
      run('cp', file, `${file}.saved`);
      run('truncate', '-s', '0', file);
    },
    // Writes to the same file: its inode stays the same.
    end: (service) => run('cp', `${fileOf(service, store)}.saved`, fileOf(service, store)),
  };
}

function moveAway(store: string): Fault {
  return {
    begin: (service) => run('mv', fileOf(service, store), `${fileOf(service, store)}.away`),
    end: (service) => run('mv', `${fileOf(service, store)}.away`, fileOf(service, store)),
  };
}

/** The file is deleted and restored from a backup that the service made: another inode. */
function restoreBackup(store: string): Fault {
  return {
    async begin(service) {
      const file = fileOf(service, store);
      await inOtherProcess(file, CHECKPOINT);
      run('cp', file, `${file}.backup`);
      for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true });
    },
    end: (service) => run('mv', `${fileOf(service, store)}.backup`, fileOf(service, store)),
  };
}

describe('readiness on sqlite follows', () => {
  /** Every fault is repaired, so the next one finds a service that works. */
  let shared: TestService;
  before(async () => {
    shared = await startWithData();
  });
  after(() => shared?.[Symbol.asyncDispose]());

  // Both files are watched in the same way, so each is broken in some ways.
  for (const [name, fault] of Object.entries<Fault>({
    'a write lock of another process on the accounts': lockFile('accounts'),
    'an empty accounts file': empty('accounts'),
    'an accounts file that is deleted and restored from a backup': restoreBackup('accounts'),
    'a registry file that is moved away and back': { ...moveAway('registry'), path: DETAIL },
  })) {
    test(name, async () => {
      await checkpoint(shared);
      await checkReadinessFollows(shared, fault);
    });
  }

  test('a disk that is full', async (t) => {
    const disk = mountSmallDisk(24);
    if (disk === undefined) return t.skip('the user is not allowed to mount a small disk');
    try {
      const database = { ...(await createDatabase('sqlite')), dataDir: disk.folder };
      await using service = await startWithData(database);
      await checkReadinessFollows(service, { begin: () => disk.fill(), end: () => disk.free() });
    } finally {
      disk.remove();
    }
  });

  test('nothing, if a file shrinks because its space was reclaimed', async () => {
    const file = fileOf(shared, 'accounts');
    await inOtherProcess(file, GROW);
    assert.equal(await readStatus(shared), 200);
    await inOtherProcess(file, VACUUM);
    // Each request looks at the file.
    for (let round = 0; round < 30; round++) {
      assert.equal(await readStatus(shared), 200);
      assert.equal((await shared.client.get('/api/v1/countries')).status, 200);
    }
  });
});
