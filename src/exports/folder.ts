import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Dataset, datasets, type ExportFormat, exportFormats, isPartyFormat } from '../base/export-formats.ts';
import { parseSnapshot, parseVersion } from '../base/version.ts';
import type { SelectedSet } from '../registry/parties/bulk/bulk.ts';

/** Folders of exports. An export is written in the folder `.partial` and then moved, the manifest last. */

const PARTIAL = '.partial';
export const LOCK = 'lock';

export class FolderRefused extends Error {}

export async function openPartial(folder: string): Promise<string> {
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new FolderRefused(`${folder} cannot be used: ${error.message}.`);
  });
  const isOurs = names.length === 0 || names.includes(MANIFEST) || names.includes(PARTIAL);
  if (!isOurs || (names.includes(MANIFEST) && loadManifest(folder) === undefined)) {
    throw new FolderRefused(`${folder} is not empty and not an export: choose another folder.`);
  }
  const partial = join(folder, PARTIAL);
  await mkdir(partial, { recursive: true, mode: 0o700 });
  return partial;
}

/** The manifest of a complete export, or in another file that of an unfinished one. Undefined if the folder contains none. */
export function loadManifest(folder: string, file = MANIFEST): Manifest | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether servers have a complete export of this version of the data to offer. After a restored backup, a generation number can occur twice. */
export function hasExport(exportsFolder: string, version: string, format: ExportFormat): boolean {
  const folder = join(exportsFolder, String(parseVersion(version).generation), format);
  const manifest = loadManifest(folder);
  return manifest !== undefined && parseSnapshot(manifest.dataVersion) === version;
}

export async function clearPartial(partial: string): Promise<void> {
  for (const name of await readdir(partial)) {
    if (name !== LOCK) await rm(join(partial, name), { recursive: true, force: true });
  }
}

/** Replaces the export in the folder, if there is one. Files that clients have open stay readable. */
export async function publish(folder: string, dataset: Dataset): Promise<void> {
  const partial = join(folder, PARTIAL);
  await rm(join(folder, MANIFEST), { force: true });
  for (const name of datasets) await rm(join(folder, name), { recursive: true, force: true });
  for (const name of [dataset, LICENCES, MANIFEST]) await rename(join(partial, name), join(folder, name));
  await rm(partial, { recursive: true, force: true });
}

export interface RemovedExport {
  readonly generation: number;
  readonly format: ExportFormat;
  /** False if the export was unfinished. */
  readonly wasComplete: boolean;
}

/**
 * Removes unfinished exports of generations before `current`, and for each format all complete exports but the newest `keep`. Formats are exported
 * one after the other, and the old files of a format are offered until its new files exist.
 */
export async function removeOld(exportsFolder: string, current: number, keep: number): Promise<RemovedExport[]> {
  const generations = await listGenerations(exportsFolder);
  const removed: RemovedExport[] = [];
  for (const format of exportFormats) {
    let kept = 0;
    for (const generation of generations) {
      const folder = join(exportsFolder, String(generation), format);
      if (!existsSync(folder)) continue;
      const wasComplete = existsSync(join(folder, MANIFEST));
      if (generation >= current || (wasComplete && kept < keep)) kept++;
      else {
        await rm(folder, { recursive: true, force: true });
        removed.push({ generation, format, wasComplete });
      }
    }
  }
  for (const generation of generations) {
    // Removes only an empty folder.
    await rmdir(join(exportsFolder, String(generation))).catch(() => undefined);
  }
  return removed;
}

/** Removes all exports, for example because they contain persons that may no longer be shown. Returns the number of removed folders. */
export async function removeAll(exportsFolder: string): Promise<number> {
  const generations = await listGenerations(exportsFolder);
  for (const name of generations) await rm(join(exportsFolder, String(name)), { recursive: true, force: true });
  return generations.length;
}

/** The generations that have a folder, the newest first. */
export async function listGenerations(exportsFolder: string): Promise<number[]> {
  const names: string[] = await readdir(exportsFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const generations = names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  return generations.sort((a, b) => b - a);
}

/** The manifest of an export: what was exported, and the hash of every file. It is written last, so a folder with a manifest is complete. */
export const MANIFEST = 'manifest.json';
export const LICENCES = 'LICENCES.md';

export interface ExportFile {
  /** Relative to the manifest, such as `entities/country=GB/part-0000.parquet` or `parties/register=gleif/part-0000.csv`. */
  readonly path: string;
  /** `ZZ` for parties of a register that spans countries. */
  readonly country: string;
  readonly rows: number;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

interface ExportedRegister {
  readonly register: string;
  readonly publisher: string;
  readonly licence: string;
  readonly licenceKnown: boolean;
  readonly attribution: string | null;
  /** True if all companies of the register are invented. Then no publisher's licence applies. */
  readonly synthetic: boolean;
  /** The day that the data describes; null if the files do not contain it. */
  readonly asOf: string | null;
  readonly rows: number;
}

export type ExportColumn = Readonly<Record<'name' | 'type' | 'description', string>>;

export interface Manifest {
  readonly manifestVersion: 1;
  readonly format: ExportFormat;
  readonly generation: number;
  /** The snapshot of the data, which is also a cursor of the change feed. */
  readonly dataVersion: string;
  readonly createdAt: string;
  readonly program: string;
  readonly rows: number;
  readonly countries: readonly string[] | null;
  readonly rowsPerFile: number;
  readonly sets?: readonly SelectedSet[];
  readonly includesUnknownLicences: boolean;
  /** Registers that were left out because their licence is unknown. */
  readonly leftOut: readonly string[];
  readonly registers: readonly ExportedRegister[];
  readonly schema: readonly ExportColumn[];
  readonly files: readonly ExportFile[];
}

/** Reads the text of a manifest. Throws if it is not a manifest of this version. */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.manifestVersion === 1 && exportFormats.includes(manifest.format)) return manifest;
  throw new Error('this is not the manifest of an export, or it was written by a newer release');
}

export function writeLicences({ format, registers, leftOut, generation, createdAt }: Manifest): string {
  const what = isPartyFormat(format) ? 'Parties' : 'Entities';
  const sections = registers.map(
    ({ register, publisher, licence, licenceKnown, attribution, asOf, rows }) => `## ${register}

- Publisher: ${publisher}
- Licence: ${licenceKnown ? licence : '**unknown**: ask the publisher before you pass this data on'}
- Attribution: ${attribution ?? 'none is required'}
- Data as of: ${asOf ?? 'not stated'}
- ${what}: ${rows}
`,
  );
  const missing =
    leftOut.length === 0
      ? ''
      : `\nNot in this export, because their licence is unknown: ${leftOut.join(', ')}. \`--include-unknown-licences\` includes them.\n`;
  return `# Licences

Generation ${generation}, exported ${createdAt}. The data of each register is under the terms of its publisher. Records with
\`provenance.synthetic\` are invented companies, and under no such terms.
${missing}
${sections.join('\n')}`;
}
