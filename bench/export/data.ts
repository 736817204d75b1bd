import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { countEntities, readId } from '../http/store.ts';

/** A store with imported British companies, whose records are as long as real ones. It is kept between runs. */
export interface ExportStore {
  readonly folder: string;
  readonly entities: number;
  /** Paths of some records, for requests to a server. */
  readonly paths: readonly string[];
}

const REQUESTED = 5_000;

export async function provideStore(folder: string, rows: number): Promise<ExportStore> {
  const marker = join(folder, 'export.json');
  if (!existsSync(marker)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'file'), { recursive: true });
  }
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  try {
    await migrate(db, loadMigrations('registry'), systemClock);
    if (!existsSync(marker)) {
      const path = await writeSynthetic(join(folder, 'file'), generateFile(gb, rows, 7));
      await importFiles(db, systemClock, { register: gb, registers, paths: [path], mode: 'partial' });
      rmSync(path);
      writeFileSync(marker, '{}');
    }
    const entities = await countEntities(db);
    const paths: string[] = [];
    for (let index = 0; index < Math.min(REQUESTED, entities); index++) {
      const id = await readId(db, Math.floor((index * entities) / Math.min(REQUESTED, entities)) + 1);
      if (id !== undefined) paths.push(`/api/v1/entities/${id}`);
    }
    return { folder, entities, paths };
  } finally {
    await db.close();
  }
}
