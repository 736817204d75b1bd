import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { type Change, type PageRequest, readPage } from '../../src/watch/feed/feed.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { testClock } from '../harness/clock.ts';
import { engines, useStore } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { findRegister } from '../registry/gb-import.ts';

const IMPORTS = 20;
const EVERYTHING: PageRequest['filter'] = { country: null, register: null, type: null };
const ROLLED_BACK = new Error('rolled back');

describeOn(engines, 'imports of three registers at the same time', (engine) => {
  const clock = testClock('2026-09-01T00:00:00.000Z');
  const store = useStore(engine, 'registry');

  /**
   * Imports with a pause between taking the generation and the commit, in which other imports and readers go on. One in
   * four is rolled back there. Returns how many changes were published.
   */
  async function runImports(id: string, seed: number): Promise<number> {
    const chance = createChance(seed);
    const db = openStore('registry', store.database);
    const register = findRegister(id);
    let changes = 0;
    let isLoaded = false;
    for (let run = 0; run < IMPORTS; run++) {
      const folder = join(store.database.dataDir, `${id}-${run}`);
      mkdirSync(folder);
      // Two files in turn, so that companies are delisted and relisted; the number of rows adds and removes some.
      const path = await writeSynthetic(folder, generateFile(register, chance.between(5, 30), run % 2));
      const paused = pauseBeforeCommit(db, chance, chance.is(0.25));
      const options = { register, registers, paths: [path], mode: chance.is(0.7) ? 'full' : 'partial' } as const;
      const counts = await importFiles(paused, clock, options).then(
        (result) => result.counts,
        (error: unknown) => assert.equal(error, ROLLED_BACK),
      );
      if (!counts) continue;
      // The first import of a register is one change per country.
      changes += isLoaded ? counts.added + counts.changed + counts.delisted : 1;
      isLoaded = true;
    }
    await db.close();
    return changes;
  }

  /** Reads pages of any size with nothing but the cursor of the page before, until it has read everything. */
  async function follow(seed: number, isOver: () => boolean): Promise<Change[]> {
    const chance = createChance(seed);
    const db = openStore('registry', store.database);
    const read: Change[] = [];
    let cursor: string | undefined;
    for (let isLast = false; ; ) {
      const wasOver = isOver();
      const { data, meta } = await readPage(db, { cursor, filter: EVERYTHING, limit: chance.between(1, 40) });
      read.push(...data);
      cursor = meta.nextCursor;
      isLast = wasOver && data.length === 0 && !meta.hasMore;
      if (isLast) break;
      await sleep(chance.between(0, 5));
    }
    await db.close();
    return read;
  }

  /** Every generation that was ever visible stays as it was, and is followed by the next one. */
  async function watchJournal(isOver: () => boolean): Promise<void> {
    const db = openStore('registry', store.database);
    let last: string[] = [];
    while (!isOver()) {
      const rows = await db.all<{ generation: number; listed: number; changes: number }>(
        `SELECT j.generation, j.changes, count(c.batch) AS listed FROM journal j LEFT JOIN changes c ON c.batch = j.batch
            GROUP BY j.generation, j.changes ORDER BY j.generation`,
      );
      for (const [at, { generation, listed, changes }] of rows.entries()) {
        assert.equal(generation, Number(rows[0]?.generation) + at, 'a generation is missing');
        assert.equal(listed, changes, `generation ${generation} is visible without all its changes`);
      }
      const texts = rows.map((row) => JSON.stringify(row));
      assert.deepEqual(texts.slice(0, last.length), last, 'what was visible has changed');
      last = texts;
      await sleep(3);
    }
    await db.close();
  }

  test('every reader sees each change exactly once, in the same order', async () => {
    let isOver = false;
    const readers = [11, 12, 13].map((seed) => follow(seed, () => isOver));
    const watching = watchJournal(() => isOver);
    const published = await Promise.all(['gb', 'lv', 'ee'].map((id, at) => runImports(id, at + 1))).finally(() => {
      isOver = true;
    });
    await watching;
    const [first, ...others] = await Promise.all(readers);
    assert.equal(
      first?.length,
      published.reduce((sum, count) => sum + count, 0),
    );
    assert.equal(new Set(first?.map(({ cursor }) => cursor)).size, first?.length, 'no change is repeated');
    for (const other of others) assert.deepEqual(other, first);
    const { data } = await readPage(store.db, { cursor: undefined, filter: EVERYTHING, limit: 1e6 });
    assert.deepEqual(data, first?.slice(0, data.length), 'reading again gives the same');
  });
});

function pauseBeforeCommit(db: Db, chance: Chance, isRolledBack: boolean): Db {
  let transactions = 0;
  return {
    ...db,
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        // The first transaction only takes the numbers of the files.
        if (++transactions === 1) return result;
        await sleep(chance.between(0, 40));
        if (isRolledBack) throw ROLLED_BACK;
        return result;
      }, options),
  };
}
