import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import type { TestDatabase } from '../harness/databases.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

/**
 * Starts the demo with sample companies of these registers only, by default of none, and waits for its welcome. Importing the
 * samples of all registers takes five seconds of CPU time; test/demo/start.deep.test.ts tests it.
 */
export async function startEmptyDemo(database: TestDatabase, samples: readonly string[] = []): Promise<RunningServer> {
  await pretendImported(database, samples);
  const server = await startServer(database, { args: ['--demo'] });
  await until('the demo prints its welcome', () => server.output().includes('Ctrl+C'));
  return server;
}

/** The demo imports samples into registers that hold no entities. */
async function pretendImported(database: TestDatabase, samples: readonly string[]): Promise<void> {
  const db = openStore('registry', database);
  try {
    await migrate(db, loadMigrations('registry'), systemClock);
    for (const register of registers.filter(({ id }) => samples.includes(id))) {
      const path = await writeSynthetic(mkdtempSync(join(database.dataDir, 'in-')), generateFile(register, 600, 1));
      await importFiles(db, systemClock, { register, registers, paths: [path] });
    }
    for (const { id } of registers) {
      const sql = 'INSERT INTO holdings (register, entities, listed, generation, imported_at) VALUES ($1, 1, 1, 0, 0)';
      await db.run(`${sql} ON CONFLICT (register) DO NOTHING`, [id]);
    }
  } finally {
    await db.close();
  }
}
