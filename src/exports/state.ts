import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportFormat } from '../base/export-formats.ts';
import { parseSnapshot } from '../base/version.ts';
import type { SelectedSet } from '../registry/parties/bulk/bulk.ts';
import type { ExportFile, Manifest } from './manifest.ts';

/** The progress of an unfinished export, so that the next run keeps its files. */
export interface ExportState {
  readonly settings: ExportSettings;
  readonly createdAt: string;
  readonly files: readonly ExportFile[];
}

/** All settings that the bytes of the files depend on. */
export interface ExportSettings {
  /** The version of the data (`base/version.ts`). */
  readonly version: string;
  readonly program: string;
  readonly format: ExportFormat;
  readonly countries: readonly string[] | null;
  readonly registers: readonly string[];
  readonly rowsPerFile: number;
  /** The exported sets of an export of parties. */
  readonly sets?: readonly SelectedSet[];
}

const STATE = '.state.json';

/** Returns undefined if the folder contains no state, or an unreadable one. */
export function loadState(folder: string): ExportState | undefined {
  const path = join(folder, STATE);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ExportState;
  } catch {
    return undefined;
  }
}

export function writeState(folder: string, state: ExportState): void {
  const path = join(folder, STATE);
  writeFileSync(`${path}.tmp`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

export function areSame(settings: ExportSettings, others: ExportSettings): boolean {
  return JSON.stringify(settings) === JSON.stringify(others);
}

/** The settings of a complete export. */
export function settingsOf({
  dataVersion,
  program,
  format,
  countries,
  registers,
  rowsPerFile,
  sets,
}: Manifest): ExportSettings {
  return {
    version: parseSnapshot(dataVersion) ?? '',
    program,
    format,
    countries,
    registers: registers.map(({ register }) => register),
    rowsPerFile,
    ...(sets && { sets }),
  };
}

/** Returns the files that still exist with the bytes that were written. */
export async function keepIntact(folder: string, files: readonly ExportFile[]): Promise<ExportFile[]> {
  const intact: ExportFile[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.size === file.bytes && (await hashFile(path)) === file.sha256) intact.push(file);
  }
  return intact;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
