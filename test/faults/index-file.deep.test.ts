import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

/**
 * test/search/index-file.test.ts tries every bit and every length. Here a service starts with a damaged file.
 */
const damages: Record<string, (file: string) => void> = {
  'truncated in the middle': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'a folder, which cannot be read': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  'empty, as after a crash of the machine': (file) => {
    rmSync(file, { recursive: true });
    writeFileSync(file, '');
  },
  'one bit of the data flipped': (file) => flip(file, statSync(file).size - 100),
  'one bit of the header flipped': (file) => flip(file, 40),
  'random bytes': (file) => writeFileSync(file, randomBytes(100_000)),
};

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

for (const engine of usualEngines) {
  test(`a service on ${engine} with a damaged index file starts and writes a new one`, async (t) => {
    const database = await createDatabase(engine, { migrated: true });
    t.after(() => database.remove());
    const kept = { ...database, remove: async () => undefined };
    const file = join(database.dataDir, 'search.index');
    const rows = Array.from({ length: 500 }, (_, at) => company(String(at + 1).padStart(8, '0'), `HOLDINGS ${at} LTD`));
    let key = '';
    {
      await using first = await startService(engine, { database: kept, smallIndex: 1 });
      await importCompanies(first, rows);
      key = await first.createKey();
    }
    const headers = { 'x-api-key': key };
    rmSync(file, { force: true });

    /** Starts a service and returns how it got its index and what it answers. A new file has another inode. */
    async function serveOnce(): Promise<string> {
      const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
      const before = inode();
      await using service = await startService(engine, { database: kept, smallIndex: 1 });
      const { status, text } = await service.client.get('/api/v1/entities?pageSize=100', { headers });
      assert.equal(status, 200);
      const output = () => service.logLines.join('');
      const said = () => /search index (loaded|built)/.exec(output())?.[1];
      await until('the log says how it got the index', said);
      const isSettled = () => inode() !== before || /cannot save the search index/.test(output());
      if (said() === 'built') await until('the index is saved, or the log says that it cannot be', isSettled);
      return `${said()}: ${text}`;
    }

    const built = await serveOnce();
    assert.equal(await serveOnce(), built.replace('built', 'loaded'));
    for (const [kind, damage] of Object.entries(damages)) {
      damage(file);
      assert.equal(await serveOnce(), built, kind);
    }
  });
}
