import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../base/errors.ts';
import { type ExportFormat, exportFormats } from '../base/export-formats.ts';
import type { Log } from '../base/log.ts';
import { LICENCES, listGenerations, MANIFEST, type Manifest, parseManifest } from './folder.ts';

export type Exports = ReturnType<typeof createExports>;

export interface OfferedExport extends Pick<Manifest, 'generation' | 'format'> {
  readonly manifest: Manifest;
  /** All files of the export by their paths, including its manifest and its licences. */
  readonly files: ReadonlyMap<string, OfferedFile>;
}

export interface OfferedFile {
  readonly generation: number;
  /** The path within the generation, such as `parquet/entities/country=GB/part-0000.parquet`. */
  readonly path: string;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

const FRESH_MS = 1_000;

/** The complete exports of this installation, for clients. The files are written by `firmament export` and only read here. */
export function createExports(folder: string, baseUrl: string | undefined, log: Log) {
  let latest: { readonly at: number; readonly offered: Promise<readonly OfferedExport[]> } | undefined;
  /** The export read from each folder by the state of its manifest: an export that cannot be offered is reported once, and does not hide the others. */
  const known = new Map<string, Promise<OfferedExport | undefined>>();

  async function scan(): Promise<readonly OfferedExport[]> {
    const found: (OfferedExport | undefined)[] = [];
    const states = new Set<string>();
    for (const generation of await listGenerations(folder)) {
      for (const format of exportFormats) {
        const place = join(folder, String(generation), format);
        const stats = await unlessMissing(lstat(join(place, MANIFEST)));
        if (stats === undefined) continue;
        const state = `${place} ${stats.mtimeMs} ${stats.size} ${stats.ino}`;
        states.add(state);
        found.push(await known.getOrInsertComputed(state, () => tryRead(place, generation, format)));
      }
    }
    for (const state of known.keys()) if (!states.has(state)) known.delete(state);
    return found.filter((each) => each !== undefined);
  }

  async function tryRead(place: string, generation: number, format: ExportFormat): Promise<OfferedExport | undefined> {
    return loadExport(place, generation, format).catch((error: unknown) => {
      log.warn({ err: error, folder: place }, 'an export is not offered: its manifest cannot be used');
      return undefined;
    });
  }

  return {
    /** The address where clients find the files instead of here, without a trailing slash. */
    baseUrl,
    /** Lists the exports, the newest generation first. Looks at the disk at most once per second. */
    list(): Promise<readonly OfferedExport[]> {
      const now = performance.now();
      if (latest === undefined || now - latest.at >= FRESH_MS) {
        const offered = scan();
        latest = { at: now, offered };
        // After an error, the next request tries again.
        offered.catch(() => {
          latest = undefined;
        });
      }
      return latest.offered;
    },
    /** Opens a file of a list for reading. Throws `export_not_found` if it has been removed since. */
    async openFile({ generation, path, bytes }: OfferedFile): Promise<FileHandle> {
      const open = async () => openChecked(join(await realpath(folder), String(generation), path), bytes);
      return (await unlessMissing(open())) ?? Promise.reject(fail('export_not_found'));
    },
  };
}

async function loadExport(place: string, generation: number, format: ExportFormat): Promise<OfferedExport> {
  const bytes = await readFile(join(place, MANIFEST));
  const manifest = parseManifest(bytes.toString());
  if (manifest.generation !== generation || manifest.format !== format) {
    throw new Error(`the manifest is of generation ${manifest.generation}, ${manifest.format}`);
  }
  const licences = await readFile(join(place, LICENCES));
  const files = [...manifest.files, describe(MANIFEST, bytes), describe(LICENCES, licences)].map((file) => {
    checkFile(file);
    return { generation, path: `${format}/${file.path}`, bytes: file.bytes, sha256: file.sha256 };
  });
  return { generation, format, manifest, files: new Map(files.map((file) => [file.path, file])) };
}

function describe(path: string, content: Buffer): Omit<OfferedFile, 'generation'> {
  return { path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Matches paths that are safe: no segment starts with a dot, so no path leaves the folder, and no character needs escaping. */
const SAFE_PATH = /^[\w=-][\w=.-]*(?:\/[\w=-][\w=.-]*)*$/;

function checkFile({ path, bytes, sha256 }: Omit<OfferedFile, 'generation'>): void {
  const isValid = SAFE_PATH.test(path) && Number.isSafeInteger(bytes) && bytes >= 0 && /^[0-9a-f]{64}$/.test(sha256);
  if (!isValid) throw new Error(`the manifest describes an invalid file: ${JSON.stringify({ path, bytes, sha256 })}`);
}

/**
 * Links are not followed: their `realpath` differs from the address. Without `O_NONBLOCK`, opening a named pipe would block a thread of the pool. A
 * file of another size is refused, because its hash cannot be the promised one.
 */
async function openChecked(address: string, bytes: number): Promise<FileHandle> {
  if ((await realpath(address)) !== address) throw fail('export_not_found');
  const file = await open(address, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== bytes) throw new Error(`${address} is not the file of the manifest`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(Reflect.get(Object(error), 'code')))) return undefined;
    throw error;
  });
}
