import { availableParallelism } from 'node:os';
import { systemClock } from '../../src/base/clock.ts';
import { openStore } from '../../src/base/db/open.ts';
import type { ExportFormat } from '../../src/base/export-formats.ts';
import { lowerPriority } from '../../src/base/system/priority.ts';
import { exportEntities, ROWS_PER_FILE } from '../../src/exports/export.ts';
import { registers } from '../../src/registers/index.ts';

/** The process that exports everything, as the command does. The task is JSON in the first argument; it prints its figures. */
export interface ExportTask {
  readonly dataDir: string;
  readonly format: ExportFormat;
  /** A new folder. */
  readonly out: string;
}

export interface Exported {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  /** Peak resident memory of the process, with all threads. */
  readonly peakMegabytes: number;
}

const { dataDir, format, out }: ExportTask = JSON.parse(process.argv[2] ?? '{}');
lowerPriority();
const location = { dataDir, databaseUrl: undefined };
const db = openStore('registry', location);
const before = process.cpuUsage();
const started = performance.now();
const { manifest } = await exportEntities(db, systemClock, {
  wanted: { countries: undefined, registers: undefined, includeUnknownLicences: true },
  format,
  folderOf: () => out,
  rowsPerFile: ROWS_PER_FILE,
  threads: Math.min(2, availableParallelism()),
  program: 'bench',
  registers,
  location,
});
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
await db.close();
const exported: Exported = {
  rows: manifest.rows,
  bytes: manifest.files.reduce((sum, file) => sum + file.bytes, 0),
  seconds,
  cpuSeconds: (user + system) / 1e6,
  peakMegabytes: (process.resourceUsage().maxRSS * 1_024) / 1e6,
};
process.stdout.write(JSON.stringify(exported));
