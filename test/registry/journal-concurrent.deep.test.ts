import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { findRegister, useImports } from './gb-import.ts';
import { checkJournal } from './journal-check.ts';

const REGISTERS = ['gb', 'lv', 'no'];
const ROUNDS = runs(6, 30);

/** Waits before each commit, so that imports which end at the same time overtake each other if they can. */
function slowDown(db: Db): Db {
  return {
    ...db,
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        await sleep(Math.random() * 40);
        return result;
      }, options),
  };
}

for (const engine of engines) {
  describe(`the journal of concurrent imports on ${engine}`, () => {
    const store = useImports(engine);

    /** Imports other companies in each round. Some runs are dry: the generation that they take is rolled back. */
    async function importRounds(id: string): Promise<number> {
      const db = openStore('registry', store.database);
      const register = findRegister(id);
      const folder = mkdtempSync(join(store.folder, `${id}-`));
      let published = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const path = await writeSynthetic(
          mkdtempSync(join(folder, 'round-')),
          generateFile(register, 20, 1 + (round % 3)),
        );
        const dryRun = round % 4 === 2;
        const options = { register, registers, paths: [path], mode: 'full', again: true, dryRun } as const;
        await importFiles(slowDown(db), store.clock, options);
        if (!dryRun) published++;
      }
      await db.close();
      return published;
    }

    test('a reader sees every generation in order, with all its changes, as soon as it sees a later one', async () => {
      const first = await store.readGeneration();
      let isDone = false;
      const imports = Promise.all(REGISTERS.map(importRounds)).finally(() => {
        isDone = true;
      });
      const seen: number[] = [];
      const poll = async () => {
        const entries = await store.db.all<{ generation: number; batch: number; changes: number }>(
          'SELECT generation, batch, changes FROM journal WHERE generation > $1 ORDER BY generation',
          [seen.at(-1) ?? first],
        );
        for (const { generation, batch, changes } of entries) {
          const found = await store.db.one('SELECT count(*) AS n FROM changes WHERE batch = $1', [batch]);
          assert.equal(found?.n, changes);
          seen.push(generation);
        }
      };
      while (!isDone) {
        await poll();
        await sleep(1);
      }
      const published = await imports;
      await poll();
      const total = published.reduce((sum, count) => sum + count, 0);
      assert.deepEqual(
        seen,
        Array.from({ length: total }, (_, index) => first + 1 + index),
      );
      assert.equal(await store.readGeneration(), first + total);
      await checkJournal(store.db);
    });
  });
}
