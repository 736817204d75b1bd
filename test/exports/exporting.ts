import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { Clock } from '../../src/base/clock.ts';
import type { ExportFormat } from '../../src/base/export-formats.ts';
import { type ExportOptions, type ExportResult, exportEntities } from '../../src/exports/export.ts';
import { registers } from '../../src/registers/index.ts';
import type { TestService } from '../harness/service.ts';

/** What an export needs of a service. */
interface ExportedStore extends Pick<TestService, 'database'> {
  readonly services: Pick<TestService['services'], 'registryDb'>;
  readonly clock: Clock;
}

/** Exports everything to a new folder, in small files. */
export function exportAll(
  { services, database, clock }: ExportedStore,
  format: ExportFormat,
  options: Partial<ExportOptions> = {},
): Promise<ExportResult> {
  const folder = mkdtempSync(join(database.dataDir, 'export-'));
  return exportEntities(services.registryDb, clock, {
    wanted: { countries: undefined, registers: undefined, includeUnknownLicences: true },
    format,
    folderOf: () => folder,
    rowsPerFile: 40,
    threads: 1,
    program: 'test',
    registers,
    location: { databaseUrl: database.databaseUrl, dataDir: database.dataDir },
    ...options,
  });
}

/** The hash of every file, read from disk. */
export function hashFiles({ folder, manifest }: ExportResult): Record<string, string> {
  const entries = manifest.files.map(({ path }) => [path, hash('sha256', readFileSync(join(folder, path)))]);
  return Object.fromEntries(entries);
}

/** The lines of all files of an NDJSON export. */
export function readLines({ folder, manifest }: ExportResult): string[] {
  return manifest.files.flatMap(({ path }) => {
    const text = zstdDecompressSync(readFileSync(join(folder, path))).toString();
    return text.trimEnd().split('\n');
  });
}
