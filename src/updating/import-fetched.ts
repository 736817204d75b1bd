import { dirname } from 'node:path';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { type FileAge, isOlder } from '../registry/file-age.ts';
import { findStanding, type Standing } from '../registry/history/history.ts';
import { importFiles } from '../registry/import.ts';
import { ImportBusy, isRefusal } from '../registry/import-result.ts';
import type { FetchResult } from '../sources/sources.ts';
import { findOlderFile, type OlderFile } from './older-file.ts';
import type { UpdateOptions } from './update-options.ts';
import { describeUpdate, type UpdateResult } from './update-result.ts';

type FetchedFiles = FetchResult['files'];

/** How the kept files relate to the data in the store. */
export function findKeptStanding({ id }: Register, files: FetchedFiles, { db, program }: Context): Promise<Standing> {
  return findStanding(db, id, { hashes: files.map(({ hash }) => hash), program });
}

type Context = Pick<UpdateOptions, 'db' | 'program'>;

/**
 * Imports fetched files, unless the data comes from them already. An update runs unattended, so what may be a mistake of the
 * publisher is refused: files that lack many companies, and files that are older than the imported ones.
 */
export async function importFetched(
  register: Register,
  files: FetchedFiles,
  options: UpdateOptions,
): Promise<UpdateResult> {
  const { standing, importedAt } = await findKeptStanding(register, files, options);
  if (standing === 'current') return describeUpdate(register.id, 'unchanged', { files });
  const refuse = (reason: string) => {
    return describeUpdate(register.id, 'failed', { files, message: describeRefusal(reason, register, files) });
  };
  if (standing === 'replaced') {
    return refuse(`the publisher offers files that were imported on ${formatDay(importedAt ?? 0)} and replaced since`);
  }
  const older = await findOlderFile(register.id, files, options);
  try {
    const { generation, counts, warnings } = await importFiles(options.db, options.clock, {
      register,
      registers,
      paths: files.map(({ path }) => path),
      program: options.program,
      addresses: new Map(files.map(({ hash, url }) => [hash, url])),
      refuseAge: (days) => describeAge(days, older),
      onProgress: options.onImport,
      ...(options.onWait && { onWait: options.onWait }),
      signal: options.signal,
    });
    return describeUpdate(register.id, 'updated', { generation, counts, warnings, files });
  } catch (error) {
    if (options.signal.aborted) throw error;
    if (error instanceof ImportBusy) return describeUpdate(register.id, 'busy', { files, message: BUSY });
    if (isRefusal(error)) return refuse(error.message);
    throw error;
  }
}

const BUSY = 'Another process is importing this register: wait until it has finished.';

/** The dates of the files decide; where one is unknown, those that the publisher's server reports. */
function describeAge(days: FileAge, older: OlderFile | undefined): string | null {
  if (isOlder(days)) return `the publisher offers files of ${days.given}, but files of ${days.held} are imported`;
  const isKnown = days.given !== null && days.held !== null;
  if (isKnown || older === undefined) return null;
  const { name, given, held } = older;
  return `the file ${name} was last changed at the publisher on ${given}, but the imported one on ${held}`;
}

/** Says why the files were refused, and what the operator can do. */
function describeRefusal(reason: string, { id, sourceUrl }: Register, files: FetchedFiles): string {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}`;
  const folder = dirname(files[0]?.path ?? '');
  return `${sentence}. Nothing was imported: compare the files with ${sourceUrl}, and if they are right, run "firmament import ${id} ${folder}/*".`;
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
