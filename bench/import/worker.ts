import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { hasRecords } from '../../src/import/reading/part.ts';
import { recognizeFile } from '../../src/import/reading/recognize.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { emptyRegistry } from '../../src/registry/registry.ts';

/** The process that `bench import` measures. Runs one import, given as JSON in the first argument, and prints its figures. */
const task = JSON.parse(process.argv[2] ?? '{}');
const register = registers.find(({ id }) => id === task.register) as Register;
const db = openStore('registry', { dataDir: task.dataDir, databaseUrl: task.databaseUrl });
await migrate(db, loadMigrations('registry'), systemClock);
if (task.empty) await emptyRegistry(db);
const before = process.cpuUsage();
const started = performance.now();
const { counts, parties } = await importFiles(db, systemClock, {
  ...{ register, registers, paths: task.paths, mode: 'full' as const },
  ...(task.parties && { parties: task.parties }),
});
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
await db.close();
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
const rows = parties?.rows ?? (await countRows());
const cpuSeconds = (user + system) / 1e6;
const { added, changed } = parties ?? counts;
const written = added + changed;
const records = parties?.rows ?? counts.rows;
process.stdout.write(JSON.stringify({ rows, records, seconds, cpuSeconds, peakMegabytes, written }));

/** Counts all rows that become part of records, including those of joined tables. */
async function countRows(): Promise<number> {
  const { parts, close } = await recognizeFile(task.paths[0], register);
  let rows = 0;
  for (const part of parts) {
    const isJoined = 'header' in part && part.source.joins !== undefined;
    if (!hasRecords(part) && !isJoined) continue;
    for await (const batch of part.read(() => undefined)) rows += batch.length;
    if ('header' in part) rows -= part.header.place;
  }
  await close();
  return rows;
}
