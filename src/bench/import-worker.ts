import { systemClock } from '../core/clock.ts';
import { migrate, readMigrations } from '../db/migrate.ts';
import { openStore } from '../db/open.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { importFiles } from '../registry/import.ts';
import { emptyRegistry } from '../registry/registry.ts';

/** The process that `bench import` measures: one import, told as JSON in the first argument, answered on stdout. */
const task = JSON.parse(process.argv[2] ?? '{}');
const register = registers.find(({ id }) => id === task.register) as Register;
const db = openStore('registry', { dataDir: task.dataDir, databaseUrl: task.databaseUrl });
await migrate(db, readMigrations('registry'), systemClock);
if (task.empty) await emptyRegistry(db);
const started = performance.now();
const { counts } = await importFiles(db, systemClock, { register, registers, paths: [task.path], mode: 'full' });
const seconds = (performance.now() - started) / 1000;
await db.close();
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(
  JSON.stringify({ rows: counts.rows, seconds, peakMegabytes, written: counts.added + counts.changed }),
);
