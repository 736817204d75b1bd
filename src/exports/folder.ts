import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Dataset, datasets, type ExportFormat, exportFormats } from '../base/export-formats.ts';
import { parseSnapshot, parseVersion } from '../base/version.ts';
import { LICENCES, MANIFEST, type Manifest, parseManifest } from './manifest.ts';

/** Folders of exports. An export is written in the folder `.partial` and then moved, the manifest last. */

const PARTIAL = '.partial';
export const LOCK = 'lock';

/** A reason why the folder cannot be used, for the operator. */
export class FolderRefused extends Error {}

/** Returns the folder in which the export is written. */
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

/** Removes the files of an unfinished export. */
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
