import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { createKeyIn } from '../harness/keys.ts';
import { run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { size } from './size.ts';

/**
 * test/search/snapshot.test.ts tries every bit and every length. Here a server starts with a damaged file. `npm test`
 * uses the first two kinds.
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
  test(`a server on ${engine} with a damaged index file starts and writes a new one`, async (t) => {
    const database = await createDatabase(engine);
    t.after(() => database.remove());
    const { dataDir, databaseUrl } = database;
    const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    const register = join(database.dataDir, 'register.csv');
    const file = join(database.dataDir, 'search.index');
    await run(['generate', 'gb', '--rows', '500', '--out', register], env);
    assert.equal((await run(['import', 'gb', register], env)).code, 0);
    const headers = { 'x-api-key': await createKeyIn(database) };

    /** Starts a server and returns how it got its index and what it answers. A new file has another inode. */
    async function serveOnce(): Promise<string> {
      const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
      const before = inode();
      const server = await startServer(database, { env: { LOG_LEVEL: 'info' } });
      try {
        const reply = await fetch(`${server.url}/api/v1/entities?pageSize=100`, { headers });
        assert.equal(reply.status, 200);
        const said = () => /search index (loaded|built)/.exec(server.output())?.[1];
        await until('the log says how it got the index', said);
        const isSettled = () => inode() !== before || /cannot save the search index/.test(server.output());
        if (said() === 'built') await until('the index is saved, or the log says that it cannot be', isSettled);
        return `${said()}: ${await reply.text()}`;
      } finally {
        server.kill('SIGKILL');
        await server.ended;
      }
    }

    const built = await serveOnce();
    assert.equal(await serveOnce(), built.replace('built', 'loaded'));
    for (const [kind, damage] of Object.entries(damages).slice(0, size.damages)) {
      damage(file);
      assert.equal(await serveOnce(), built, kind);
    }
  });
}
