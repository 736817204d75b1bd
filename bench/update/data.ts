import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { recordInvented } from '../http/store.ts';
import { provideData } from '../search/data.ts';
import { type ChangeFile, writeBlocks, writeChange } from './changes.ts';
import type { Imported, ImportTask } from './import-process.ts';
import { readGeneration } from './store.ts';

/**
 * The store of `bench update`: the invented companies of `bench search`, and companies that were imported and will change.
 * It is kept between runs, and every run changes it further.
 */
export interface UpdateStore {
  readonly folder: string;
  /** The number of companies that a change can have. */
  readonly blockSize: number;
  /** Writes a file with a change of this many companies: none of them was changed by the previous file, if possible. */
  writeChange(count: number): Promise<ChangeFile>;
  import(file: ChangeFile): Promise<Imported>;
}

/** The largest change that is measured. */
const MAX_BLOCK = 50_000;
/** The share of the companies that can change: more than an overlay holds. */
const SHARE = 0.06;

export async function provideStore(
  folder: string,
  rows: number,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<UpdateStore> {
  await provideData(folder, rows, (done) => onStep(`data: ${done} of ${rows} rows`));
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await migrate(db, loadMigrations('registry'), systemClock);
  const blockSize = Math.min(MAX_BLOCK, Math.ceil(rows * SHARE));
  const blocks = Math.ceil((rows * SHARE) / blockSize);
  const marker = join(folder, 'update.json');
  if (!existsSync(marker) || JSON.parse(readFileSync(marker, 'utf8')).blocks !== blocks) {
    onStep(`data: ${blocks * blockSize} companies to change`);
    await recordInvented(db, systemClock.now());
    await importFile(folder, await writeBlocks(join(folder, 'change'), blocks, blockSize), signal);
    writeFileSync(marker, JSON.stringify({ blocks }));
  }
  let edition = await readGeneration(db);
  await db.close();
  return {
    folder,
    blockSize,
    writeChange: (count) => writeChange(join(folder, 'change'), ++edition, edition % blocks, count),
    import: (file) => importFile(folder, file, signal),
  };
}

async function importFile(dataDir: string, { path }: ChangeFile, signal: AbortSignal): Promise<Imported> {
  const program = fileURLToPath(new URL('import-process.ts', import.meta.url));
  const task = JSON.stringify({ dataDir, path } satisfies ImportTask);
  const { stdout } = await promisify(execFile)(process.execPath, [program, task], { signal });
  rmSync(path);
  return JSON.parse(stdout);
}
