import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openExistingStore, openStore } from '../../src/db/open.ts';

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
