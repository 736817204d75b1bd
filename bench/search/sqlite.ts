import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Transaction } from '../../src/base/db/db.ts';
import { openSqlite } from '../../src/base/db/sqlite.ts';
import { findActivityKeys } from '../../src/base/search-keys.ts';
import { isDone, markDone } from './data.ts';
import { type Rival, toCriteria } from './rival.ts';
import { askSqlite, createListing, indexSqlite, type SqlitePlan, warmSqlite } from './store.ts';
import { ACTIVITIES } from './words.ts';

/** SQLite with FTS5 and its trigram tokenizer. */

const fileIn = (folder: string) => join(folder, 'fts5.db');

/** Creates the table in result order that both rivals are built from. */
export async function provideListing(folder: string): Promise<void> {
  const marker = join(folder, 'listing.json');
  if (isDone(marker)) return;
  for (const suffix of ['', '-wal', '-shm']) rmSync(fileIn(folder) + suffix, { force: true });
  const db = openSqlite(fileIn(folder), { durability: 'normal' });
  await createListing(db, join(folder, 'registry.db'));
  await db.close();
  markDone(marker);
}

export function openListing(folder: string) {
  return openSqlite(fileIn(folder), { durability: 'normal' });
}

/** Blocks its thread for minutes: call it in a separate process. */
export async function provideSqlite(folder: string): Promise<void> {
  const marker = join(folder, 'fts5.json');
  if (isDone(marker)) return;
  const db = openListing(folder);
  const keys = ACTIVITIES.flatMap(({ code, label }) => [code, label]);
  await indexSqlite(
    db,
    (['unlicensed', 'licensed'] as const).flatMap((type) => keys.map((key) => findActivityKeys(type, key)[0])),
  );
  await db.close();
  markDone(marker);
}

/** Runs all queries in one long transaction, because only its connection lets us set the cache size. */
export async function openSqliteRival(folder: string): Promise<Rival> {
  const db = openListing(folder);
  const opened = Promise.withResolvers<Transaction>();
  const closed = Promise.withResolvers<void>();
  const done = db.transaction(async (tx) => {
    await warmSqlite(tx);
    opened.resolve(tx);
    await closed.promise;
  });
  done.catch(opened.reject);
  const tx = await opened.promise;
  return {
    name: 'SQLite FTS5',
    plans: ['text', 'filters'],
    ask: (query, plan) => askSqlite(tx, toCriteria(query), plan as SqlitePlan),
    async close() {
      closed.resolve();
      await done;
      await db.close();
    },
  };
}
