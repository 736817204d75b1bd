import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { openThread } from '../../src/base/system/thread.ts';
import { inventedColumns, loadEntities, publish } from './store.ts';

/** Stored with the data that is kept between runs. Raise it when the generated data changes. */
const EDITION = 6;

/** Creates a registry store of invented companies, unless the folder has one from an earlier run. */
export async function provideData(folder: string, rows: number, onProgress: (rows: number) => void): Promise<void> {
  const marker = join(folder, 'registry.json');
  if (isDone(marker)) return;
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `registry.db${suffix}`), { force: true });
  // The rivals' copies hold the old data.
  for (const kept of ['listing.json', 'fts5.json', 'postgres'])
    rmSync(join(folder, kept), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const first = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await migrate(first, loadMigrations('registry'), systemClock);
  await first.close();
  // Opened again, because SQLite can turn the journal off only while no other connection has read from the file. Without a
  // journal only half as much is written.
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await loadEntities(db, inventBatches(rows, onProgress));
  await publish(db, systemClock.now());
  await db.close();
  markDone(marker);
}

export function isDone(marker: string): boolean {
  return existsSync(marker) && JSON.parse(readFileSync(marker, 'utf8')).edition === EDITION;
}

/** Written last: without a marker the data is incomplete. */
export function markDone(marker: string): void {
  writeFileSync(marker, JSON.stringify({ edition: EDITION }));
}

/** What `data-worker.ts` does. */
export interface InventThread {
  /** Batches of companies, with all their texts joined, which is cheap to send. */
  invent(rows: number): AsyncGenerator<string, void>;
}

/** A second thread invents companies while this one stores them. Both take about the same time. */
async function* inventBatches(rows: number, onProgress: (rows: number) => void): AsyncGenerator<string[][]> {
  await using thread = openThread<InventThread>(new URL('data-worker.ts', import.meta.url), { name: 'invent' });
  const width = inventedColumns.length;
  let done = 0;
  for await (const text of thread.stream('invent', rows)) {
    const values = text.split('\0');
    yield Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width));
    const before = done;
    done += values.length / width;
    if (Math.floor(done / 500_000) > Math.floor(before / 500_000)) onProgress(done);
  }
}
