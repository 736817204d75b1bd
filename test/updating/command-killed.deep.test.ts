import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/db/open.ts';
import { readState } from '../../src/sources/state.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { type Answer, makeEtag, type Publisher, serveFile, startPublisher } from '../sources/publisher.ts';
import { makeLv } from './updating.ts';

describe('firmament update', () => {
  let publisher: Publisher;
  let folder: string;
  let env: { DATA_DIR: string; FETCH_SOURCES: string };
  before(async () => {
    publisher = await startPublisher();
    folder = mkdtempSync(join(tmpdir(), 'firmament-update-'));
    env = { DATA_DIR: join(folder, 'data'), FETCH_SOURCES: join(folder, 'sources.json') };
    writeFileSync(env.FETCH_SOURCES, JSON.stringify({ lv: [`${publisher.url}/register.csv`] }));
  });
  after(async () => {
    await publisher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const count = async (): Promise<{ generation: number; entities: number }> => {
    const db = openStore('registry', { dataDir: env.DATA_DIR, databaseUrl: undefined });
    try {
      const sql = 'SELECT (SELECT generation FROM generation) AS generation, count(*) AS entities FROM entities';
      return { ...((await db.one(sql)) as { generation: number; entities: number }) };
    } finally {
      await db.close();
    }
  };

  test('killed at any point, leaves the old or the new data, and the next update completes it', async () => {
    const sources = join(env.DATA_DIR, 'sources', 'lv');
    const measureLog = () => statSync(join(env.DATA_DIR, 'registry.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
    const readHash = async () => (await readState(sources)).snapshots.at(-1)?.files[0]?.hash;
    publisher.offer('/register.csv', { body: await makeLv(40) });
    assert.equal((await run(['update', 'lv'], env)).code, 0);
    let rows = (await count()).entities;
    /** Starts an update to a larger file, kills it at a point, and checks the data. */
    const killAt = async (
      point: (update: Update) => Promise<unknown>,
      answer: (body: Buffer) => Answer = sendWhole,
    ) => {
      const body = await makeLv(rows + 5);
      const requests = publisher.requests.length;
      const hash = await readHash();
      const log = measureLog();
      publisher.offer('/register.csv', answer(body));
      const running = start(['update', 'lv'], env);
      let hasEnded = false;
      void running.ended.then(() => {
        hasEnded = true;
      });
      await point({
        isDownloading: () => hasEnded || publisher.requests.length > requests,
        isKept: async () => hasEnded || (await readHash()) !== hash,
        isWriting: () => hasEnded || measureLog() > log,
      });
      running.kill('SIGKILL');
      await running.ended;
      const { entities } = await count();
      assert.ok(entities === rows || entities === rows + 5, `${entities} entities`);
      rows = entities;
    };

    await killAt(({ isDownloading }) => until('it downloads', isDownloading), sendHalf);
    await killAt(({ isKept }) => until('the file is kept', isKept));
    await killAt(({ isWriting }) => until('it imports', isWriting));
    for (const delay of [0, 100, 200, 400]) await killAt(() => sleep(delay));
    for (const delay of [10, 50, 100]) {
      await killAt(async ({ isKept }) => {
        await until('the file is kept', isKept);
        await sleep(delay);
      });
    }

    publisher.offer('/register.csv', { body: await makeLv(rows + 5) });
    const { code, stdout, stderr } = await run(['update', 'lv', '--json'], env);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout)[0].outcome, 'updated');
    assert.equal((await count()).entities, rows + 5);
    assert.equal((await run(['update', 'lv'], env)).code, 3);
  });
});

/** What an update has reached. True as well once its process has ended. */
interface Update {
  isDownloading(): boolean;
  isKept(): Promise<boolean>;
  isWriting(): boolean;
}

function sendWhole(body: Buffer): Answer {
  return serveFile({ body });
}

/** Sends the first half, and then nothing. */
function sendHalf(body: Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200, { etag: makeEtag(body), 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2));
  };
}
