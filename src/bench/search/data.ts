import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { migrate, readMigrations } from '../../db/migrate.ts';
import { openStore } from '../../db/open.ts';
import { inventedColumns, loadEntities, publish } from './store.ts';

/** Kept with what is kept between runs: raise it when the data changes. */
const EDITION = 3;

/** A registry store of invented companies; made once and kept in the folder. */
export async function provideData(folder: string, rows: number, onProgress: (rows: number) => void): Promise<void> {
  const marker = join(folder, 'registry.json');
  if (isDone(marker)) return;
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `registry.db${suffix}`), { force: true });
  // The others' copies are of the old data.
  for (const kept of ['listing.json', 'fts5.json', 'postgres'])
    rmSync(join(folder, kept), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const first = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await migrate(first, readMigrations('registry'), systemClock);
  await first.close();
  // Opened again: as long as nobody has read through it, it can do without a journal, which halves what is written.
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await loadEntities(db, inventBatches(rows, onProgress));
  await publish(db, systemClock.now());
  await db.close();
  markDone(marker);
}

export function isDone(marker: string): boolean {
  return existsSync(marker) && JSON.parse(readFileSync(marker, 'utf8')).edition === EDITION;
}

/** Written last: what has no marker was not finished. */
export function markDone(marker: string): void {
  writeFileSync(marker, JSON.stringify({ edition: EDITION }));
}

/** Invented by a second thread while this one stores them: both take about as long. */
async function* inventBatches(rows: number, onProgress: (rows: number) => void): AsyncGenerator<string[][]> {
  const thread = new Worker(new URL('data-worker.ts', import.meta.url), { workerData: { rows } });
  const width = inventedColumns.length;
  let done = 0;
  // One batch is being invented while another is being stored.
  thread.postMessage('next');
  while (done < rows) {
    const [text]: string[] = await once(thread, 'message');
    thread.postMessage('next');
    const values = (text as string).split('\0');
    yield Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width));
    const before = done;
    done += values.length / width;
    if (Math.floor(done / 500_000) > Math.floor(before / 500_000)) onProgress(done);
  }
  await thread.terminate();
}
