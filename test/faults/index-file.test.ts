import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { createKeyIn } from '../harness/keys.ts';
import { run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { size } from './size.ts';

/** Every bit and every length is tried in test/search/snapshot.test.ts; here, a server that starts on such a file. */
const damages: Record<string, (file: string) => void> = {
  'cut off in the middle': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'empty, as after a crash of the machine': (file) => truncateSync(file, 0),
  'a bit of its header changed': (file) => flip(file, 40),
  'a bit of its data changed': (file) => flip(file, statSync(file).size - 100),
  'something else': (file) => writeFileSync(file, randomBytes(100_000)),
  'a folder, which cannot be read': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
};

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

for (const engine of size.engines) {
  test(`the index file is damaged: a server on ${engine} starts all the same, and writes it anew`, async (t) => {
    const database = await createDatabase(engine);
    t.after(() => database.remove());
    const { dataDir, databaseUrl } = database;
    const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    const register = join(database.dataDir, 'register.csv');
    const file = join(database.dataDir, 'search.index');
    await run(['generate', 'gb', '--rows', '500', '--out', register], env);
    assert.equal((await run(['import', 'gb', register], env)).code, 0);
    const headers = { 'x-api-key': await createKeyIn(database) };

    /** Which way it got its index, and what it answers. A new file has another inode. */
    async function serveOnce(): Promise<string> {
      const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
      const before = inode();
      const server = await startServer(database, { env: { LOG_LEVEL: 'info' } });
      try {
        const reply = await fetch(`${server.url}/api/v1/entities?pageSize=100`, { headers });
        assert.equal(reply.status, 200);
        const said = () => /search index (loaded|built)/.exec(server.output())?.[1];
        await until('the log says where the index is from', said);
        const isSettled = () => inode() !== before || /could not be saved/.test(server.output());
        if (said() === 'built') await until('it is saved, or said not to be', isSettled);
        return `${said()}: ${await reply.text()}`;
      } finally {
        server.kill('SIGKILL');
        await server.ended;
      }
    }

    const built = await serveOnce();
    assert.equal(await serveOnce(), built.replace('built', 'loaded'));
    for (const [kind, damage] of Object.entries(damages)) {
      damage(file);
      assert.equal(await serveOnce(), built, kind);
    }
  });
}
