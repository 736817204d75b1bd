import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LICENCES, MANIFEST, type Manifest, parseManifest } from './manifest.ts';
import { STATE } from './state.ts';

/** Folders of exports. An export is written in the folder `.partial` and then moved, the manifest last. */

const PARTIAL = '.partial';
export const ENTITIES = 'entities';
export const LOCK = 'lock';

/** A reason why the folder cannot be used, for the operator. */
export class FolderRefused extends Error {}

/** Returns where the export is written. */
export async function openPartial(folder: string): Promise<string> {
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new FolderRefused(`${folder} cannot be used: ${error.message}.`);
  });
  const isOurs = names.length === 0 || names.includes(MANIFEST) || names.includes(PARTIAL);
  if (!isOurs || (names.includes(MANIFEST) && readManifest(folder) === undefined)) {
    throw new FolderRefused(`${folder} is not empty and not an export: choose another folder.`);
  }
  const partial = join(folder, PARTIAL);
  await mkdir(partial, { recursive: true, mode: 0o700 });
  return partial;
}

/** The manifest of a complete export; undefined if there is none. */
export function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return undefined;
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Removes what an unfinished export has left. */
export async function clearPartial(partial: string): Promise<void> {
  for (const name of await readdir(partial)) {
    if (name !== LOCK) await rm(join(partial, name), { recursive: true, force: true });
  }
}

/** Replaces the export in the folder, if there is one. Open files can still be read. */
export async function publish(folder: string): Promise<void> {
  const partial = join(folder, PARTIAL);
  await rm(join(folder, MANIFEST), { force: true });
  await rm(join(folder, ENTITIES), { recursive: true, force: true });
  for (const name of [ENTITIES, LICENCES, STATE, MANIFEST]) await rename(join(partial, name), join(folder, name));
  await rm(partial, { recursive: true, force: true });
}

export interface RemovedExports {
  readonly generation: number;
  /** False if they were unfinished. */
  readonly wereComplete: boolean;
}

/** Removes unfinished exports of generations before `current`, and complete ones of all but the newest `keep` generations. */
export async function removeOld(exportsFolder: string, current: number, keep: number): Promise<RemovedExports[]> {
  const names = await readdir(exportsFolder);
  const generations = names.filter((name) => /^\d+$/.test(name)).map(Number);
  let kept = 0;
  const removed: RemovedExports[] = [];
  for (const generation of generations.sort((a, b) => b - a)) {
    const folder = join(exportsFolder, String(generation));
    const wereComplete = (await readdir(folder)).some((format) => existsSync(join(folder, format, MANIFEST)));
    if (generation >= current || (wereComplete && kept < keep)) kept++;
    else {
      await rm(folder, { recursive: true, force: true });
      removed.push({ generation, wereComplete });
    }
  }
  return removed;
}
