import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { backUpSqlite } from '../../src/db/backup.ts';
import { openStore } from '../../src/db/open.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const FILES = [
  'accounts.db',
  'accounts.db-shm',
  'accounts.db-wal',
  'registry.db',
  'registry.db-shm',
  'registry.db-wal',
];

describe('only the owner can read the stores', () => {
  let folder: string;
  let dataDir: string;
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0o022);
    folder = mkdtempSync(join(tmpdir(), 'firmament-test-'));
    dataDir = join(folder, 'data');
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens both stores, writes to them and returns the modes of all files. */
  async function readModes(): Promise<Record<string, string>> {
    const dbs = (['accounts', 'registry'] as const).map((store) =>
      openStore(store, { dataDir, databaseUrl: undefined }),
    );
    for (const db of dbs) await db.run('CREATE TABLE IF NOT EXISTS things (id BIGINT)');
    const modes = Object.fromEntries(
      readdirSync(dataDir)
        .sort()
        .map((name) => [name, modeOf(join(dataDir, name))]),
    );
    for (const db of dbs) await db.close();
    return modes;
  }
  const expected = Object.fromEntries(FILES.map((name) => [name, '600']));

  test('new files, with their logs, in a new folder', async () => {
    assert.deepEqual(await readModes(), expected);
    assert.equal(modeOf(dataDir), '700');
  });

  test('files and folder that an earlier release left readable are repaired', async () => {
    const first = openStore('accounts', { dataDir, databaseUrl: undefined });
    await first.run('CREATE TABLE things (id BIGINT)');
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644);
    chmodSync(dataDir, 0o755);
    assert.deepEqual(await readModes(), expected);
    assert.equal(modeOf(dataDir), '700');
    await first.close();
  });

  test('a folder that holds other things keeps its mode', async () => {
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, 'notes.txt'), '');
    await openStore('accounts', { dataDir, databaseUrl: undefined }).close();
    assert.equal(modeOf(dataDir), '755');
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    await openStore('accounts', { dataDir: shared, databaseUrl: undefined }).close();
    await openStore('accounts', { dataDir: shared, databaseUrl: undefined }).close();
    assert.equal(modeOf(shared), '1777', 'a folder for everybody, such as /tmp');
    assert.equal(modeOf(join(shared, 'accounts.db')), '600');
  });

  test('a copy in a folder that others can read', async () => {
    await readModes();
    await backUpSqlite(join(dataDir, 'accounts.db'), join(folder, 'copy.db'));
    assert.equal(modeOf(join(folder, 'copy.db')), '600');
  });
});
