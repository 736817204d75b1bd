import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { openSqlite } from '../../src/base/db/sqlite.ts';
import type { Log } from '../../src/base/log.ts';
import { createJournalPruning } from '../../src/registry/journal/journal.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { writeGb } from './gb-file.ts';
import { numbered, useImports } from './gb-import.ts';

const DAY = 86_400_000;
const silent: Log = { info: () => undefined, warn: () => undefined };

/** The generations in the journal, and how many changes each batch has, even if it is not in the journal. */
async function readJournal(db: Db) {
  const entries = await db.all<{ generation: number }>('SELECT generation FROM journal ORDER BY generation');
  const batches = await db.all<{ n: number }>('SELECT count(*) AS n FROM changes GROUP BY batch ORDER BY batch');
  return { generations: entries.map(({ generation }) => generation), changes: batches.map(({ n }) => n) };
}

describeOn(usualEngines, 'pruning the journal', (engine) => {
  const store = useImports(engine);
  const { clock, run } = store;
  const createPruning = (db: Db = store.db) => createJournalPruning(db, clock, silent, 10);

  /** One import per day. The first is of an empty register, each later one changes all companies. */
  async function importDaily(days: number, companies = 3): Promise<number> {
    for (let day = 0; day < days; day++) {
      const rows = numbered(companies, () => ({ URI: `day ${day}` }));
      await run(writeGb(store.folder, 'daily.csv', rows));
      clock.advance(DAY);
    }
    return store.readGeneration();
  }

  test('removes changes that are older than JOURNAL_DAYS, and the entries before the last of them', async () => {
    const last = await importDaily(4);
    const { prune } = createPruning();
    assert.equal(await prune(), 0);
    const { generations, changes } = await readJournal(store.db);
    assert.deepEqual(
      [generations.slice(-4), changes],
      [
        [last - 3, last - 2, last - 1, last],
        [1, 3, 3, 3],
      ],
    );
    clock.advance(8 * DAY);
    assert.equal(await prune(), 4, 'the first two imports are 12 and 11 days old');
    assert.deepEqual(await readJournal(store.db), { generations: [last - 2, last - 1, last], changes: [3, 3] });
  });

  test('leaves no gap if a slow import was published after a later one', async () => {
    const last = await importDaily(4);
    await store.db.run('UPDATE journal SET published_at = 0 WHERE generation = $1', [last - 1]);
    clock.advance(6.5 * DAY);
    await createPruning().prune();
    assert.deepEqual(await readJournal(store.db), {
      generations: [last - 3, last - 2, last - 1, last],
      changes: [3, 3, 3],
    });
  });

  test('removes the changes of a large import in pieces, and the rest after it was stopped', async () => {
    const last = await importDaily(3, 330);
    clock.advance(8.5 * DAY);
    const stopped = new AbortController();
    const pieces: number[] = [];
    const db: Db = {
      ...store.db,
      transaction: (work, options) => {
        if (pieces.push(1) === 3) stopped.abort();
        return store.db.transaction(work, options);
      },
    };
    assert.equal(await createPruning(db).prune(stopped.signal), 1 + 100 + 100);
    assert.deepEqual(await readJournal(store.db), { generations: [last - 1, last], changes: [130, 330] });
    assert.equal(await createPruning().prune(), 130);
    assert.deepEqual((await readJournal(store.db)).changes, [330]);
  });

  test('does not wait for a running import, nor touch its changes', async () => {
    await importDaily(3);
    clock.advance(30 * DAY);
    const other = openStore('registry', store.database);
    const impatient =
      engine === 'sqlite'
        ? openSqlite(join(store.folder, 'registry.db'), { durability: 'normal', busyTimeoutMs: 20 })
        : store.db;
    await other.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO changes (batch, position, type, country_code, register, fields) VALUES (-1, 0, 'loaded', 'GB', 'gb', '[]')`,
      );
      const pruned = createPruning(impatient).prune();
      // SQLite has only one writer, so the next run has to do it.
      if (engine === 'sqlite') await assert.rejects(pruned, { code: 'service_unavailable' });
      else assert.equal(await pruned, 4);
    });
    if (impatient !== store.db) await impatient.close();
    await other.close();
    assert.equal(await createPruning().prune(), engine === 'sqlite' ? 5 : 1, 'batch -1 has no entry');
  });

  test('is background work of a server', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    await using service = await startService(engine, { env: { JOURNAL_DAYS: '7' } });
    const { registryDb } = service.services;
    const old = service.clock.now() - 7 * DAY - 1;
    await registryDb.run(
      `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
          VALUES (-2, $1, 'gb', 1, 1, 0, 0), (-1, $1, 'gb', 2, 1, 0, 0)`,
      [old],
    );
    t.mock.timers.tick(10 * 60_000);
    await until('the old entry is removed', async () => {
      const entries = await registryDb.all('SELECT generation FROM journal WHERE generation < 0');
      return entries.length === 1;
    });
  });
});
