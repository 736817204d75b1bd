import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openExistingStore, openStore } from '../../src/db/open.ts';
import { until } from '../harness/until.ts';

/** A store with a table, closed again, so that all of it is in one file. */
async function createFile(t: { after(work: () => void): void }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const location = { databaseUrl: undefined, dataDir };
  const db = openStore('registry', location);
  await db.run('CREATE TABLE things (id INTEGER)');
  await db.close();
  return { location, file: join(dataDir, 'registry.db') };
}

/** Files are changed by other programs: if this process closed a file, it would lose SQLite's locks on it. */
const run = (command: string, ...args: string[]) => execFileSync(command, args);

const unavailable = { code: 'service_unavailable' };

describe('a store that another thread has opened', () => {
  test('can be opened and written to', async (t) => {
    const { location } = await createFile(t);
    const db = openExistingStore('registry', location);
    await db.run('INSERT INTO things VALUES (1)');
    assert.equal((await db.one<{ id: number }>('SELECT id FROM things'))?.id, 1);
    await db.close();
  });

  test('is not created if its file was moved away', async (t) => {
    const { location, file } = await createFile(t);
    renameSync(file, `${file}.away`);
    assert.throws(() => openExistingStore('registry', location), unavailable);
    assert.deepEqual(readdirSync(location.dataDir), ['registry.db.away']);
  });

  test('is not created in an empty file', async (t) => {
    const { location, file } = await createFile(t);
    truncateSync(file);
    assert.throws(() => openExistingStore('registry', location), unavailable);
    assert.equal(statSync(file).size, 0);
  });
});

test('a store whose file was damaged for a moment is read again as soon as the file is whole', async (t) => {
  const { location, file } = await createFile(t);
  const db = openStore('registry', location);
  await db.run(
    "INSERT INTO things SELECT value FROM json_each('[' || rtrim(replace(hex(zeroblob(20000)), '00', '1,'), ',') || ']')",
  );
  // The log is empty, but its index still has the number of pages.
  assert.equal(await db.shrinkLog(), true);
  const count = async () => (await db.one<{ n: number }>('SELECT count(*) AS n FROM things'))?.n;
  // The file is looked at now, and not again for a moment: the next read has damaged pages in its cache.
  await db.one('SELECT 1 AS one');
  run('cp', file, `${file}.saved`);
  run('truncate', '-s', '32768', file);
  await assert.rejects(count(), unavailable);
  run('cp', `${file}.saved`, file);
  await until('the store can be read', async () => (await count().catch(() => undefined)) === 20_000);
  await db.close();
});

test('a closed store stays closed, even if another file takes the place of its own', async (t) => {
  const { location, file } = await createFile(t);
  const db = openStore('registry', location);
  await db.close();
  run('cp', file, `${file}.other`);
  run('mv', `${file}.other`, file);
  await assert.rejects(db.run('INSERT INTO things VALUES (1)'), unavailable);
  await assert.rejects(db.one('SELECT id FROM things'), unavailable);
});
