import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db/db.ts';
import { Failure, reasonOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { DEFAULT_PARTY_MODES } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { recordFailure, recordSuccess } from '../../registry/records/imports/store.ts';
import type { Registry } from '../../registry/registry.ts';
import type { FetchRequest, FetchResult, SourceSettings } from '../fetch/snapshot.ts';
import { fetchSource } from '../fetch/sources.ts';
import { type KeptFile, loadState } from '../fetch/state.ts';
import {
  type FileAge,
  findStanding,
  isOlder,
  listCurrent,
  listImports,
  listRaised,
  type PastImport,
} from '../history.ts';
import { type ImportOptions, importFiles } from '../import.ts';
import type { ImportResult } from '../import-result.ts';
import { ImportBusy, isRefusal } from '../mapping/problems.ts';

/** Updates: connects `import/fetch/`, which knows no database, with the import, which knows no publisher. */
export interface UpdateOptions extends Pick<ImportOptions, 'onWait' | 'parties'> {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sources: SourceSettings;
  readonly program: string;
  /** Whether the update only finds out what there is to do. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly onFetch: FetchRequest['onProgress'];
  readonly onImport: NonNullable<ImportOptions['onProgress']>;
}

/** Updates one register and records the attempt. Every problem is a result; only an abort throws. */
export async function updateRegister(register: Register, options: UpdateOptions): Promise<UpdateResult> {
  const started = performance.now();
  let result: UpdateResult;
  try {
    result = await fetchAndImport(register, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    const isOutage = error instanceof Failure;
    if (!isOutage) options.log.warn({ err: error, register: register.id }, 'an update failed unexpectedly');
    const reason = error instanceof Error ? error.message : String(error);
    const message = isOutage
      ? `The database is not available (${reasonOf(error)}): nothing was changed, run the command again when it is.`
      : `The update ended with an unexpected error (${reason}): nothing was changed, see the log and report it.`;
    result = describeUpdate(register.id, 'failed', { message });
  }
  if (!options.dryRun) await record(result, options);
  return { ...result, seconds: Math.round(performance.now() - started) / 1_000 };
}

/**
 * Imports the newest files, unless the data already comes from these files. An update runs unattended, so likely mistakes of the
 * publisher are refused: files that lack many companies, and files that are older than the imported files.
 */
async function fetchAndImport(register: Register, options: UpdateOptions): Promise<UpdateResult> {
  const { db, sources, program, dryRun, signal } = options;
  // The originals of the data stay, even if later files are refused again and again.
  const inUse = listHashes(await listImports(db, register.id));
  const request = { checkOnly: dryRun, inUse, signal, onProgress: options.onFetch };
  // The files are locked until the end of the import.
  await using fetched = await fetchSource(register, sources, request);
  const { outcome, message, files } = fetched.result;
  const end = (ending: UpdateOutcome, details: Partial<UpdateResult> = {}) =>
    describeUpdate(register.id, ending, { message, files, ...details });
  const refuse = (reason: string) =>
    end('failed', { message: describeRefusal(reason, register, files[0]?.path ?? '') });

  if (outcome !== 'new' && outcome !== 'unchanged')
    return end(outcome, { message: message ?? ADVICE[outcome] ?? null });
  // The files are compared even if the fetch found nothing new: an earlier update may have been interrupted after its fetch, or refused.
  const hashes = files.map(({ hash }) => hash);
  const raised = (await listRaised(db, [register], options.parties ?? DEFAULT_PARTY_MODES)).length > 0;
  const past = await listImports(db, register.id);
  const { standing, importedAt } = findStanding(past, { hashes, program, raised });
  if (standing === 'current') return end('unchanged');
  if (dryRun) return end('available', { message: NOT_IMPORTED });
  if (standing === 'replaced') {
    const day = new Date(importedAt ?? 0).toISOString().slice(0, 10);
    return refuse(`the publisher offers files that were imported on ${day} and replaced since`);
  }
  const held = listHashes(past);
  try {
    const { generation, counts, warnings } = await importFiles(db, options.clock, {
      register,
      registers,
      paths: files.map(({ path }) => path),
      program,
      addresses: new Map(files.map(({ hash, url }) => [hash, url])),
      refuseAge: refuseOlder(files, fetched.kept, held),
      onProgress: options.onImport,
      ...(options.onWait && { onWait: options.onWait }),
      ...(options.parties && { parties: options.parties }),
      signal,
    });
    return end('updated', { generation, counts, warnings });
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ImportBusy) return end('busy', { message: BUSY });
    if (isRefusal(error)) return refuse(error.message);
    throw error;
  }
}

/** The hashes of the files that the data comes from. */
function listHashes(past: readonly PastImport[]): ReadonlySet<string> {
  return new Set(listCurrent(past).map(({ hash }) => hash));
}

const NOT_IMPORTED = 'The newest files are kept, but not imported: an update would try to import them.';
const BUSY = 'Another process is importing this register: wait until it has finished.';

/** What a dry run reports about files that were not downloaded. */
const ADVICE: Partial<Readonly<Record<UpdateOutcome, string>>> = {
  available: 'There are new files: an update would download and import them.',
  unknown: 'The publisher does not say whether its files have changed: an update would download them.',
};

/** Describes why the files were refused, and what the operator can do. */
function describeRefusal(reason: string, { id, sourceUrl }: Register, path: string): string {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}`;
  return `${sentence}. Nothing was imported: compare the files with ${sourceUrl}, and if they are right, run "firmament import ${id} ${dirname(path)}/*".`;
}

async function record({ register, outcome, message }: UpdateResult, options: UpdateOptions): Promise<void> {
  const { db, clock, log } = options;
  try {
    if (outcome === 'updated' || outcome === 'unchanged') await recordSuccess(db, register, clock.now());
    if (outcome === 'failed') await recordFailure(db, register, message ?? '', clock.now());
  } catch (error) {
    // The database is probably what failed, which the result already reports.
    log.warn({ err: error, register }, 'the result of an update could not be recorded');
  }
}

/**
 * Returns why files are refused as older than the imported files, or null. The days of the files decide. If a day is unknown, the times of the
 * last change decide, which the publisher's server reports: of the files at the same address, or of a publication that is a single file.
 * `held` has the hashes of the imported files.
 */
export function refuseOlder(files: readonly KeptFile[], kept: readonly KeptFile[], held: ReadonlySet<string>) {
  const imported = kept.filter(({ hash }) => held.has(hash));
  const timeOf = ({ lastModified }: KeptFile) => Date.parse(lastModified ?? '');
  const older = files.find((file) => {
    const isComparable = ({ url }: KeptFile) => files.length === 1 || url === file.url;
    return !held.has(file.hash) && imported.some((other) => isComparable(other) && timeOf(file) < timeOf(other));
  });
  return (days: FileAge): string | null => {
    if (isOlder(days)) return `the publisher offers files of ${days.given}, but files of ${days.held} are imported`;
    const isKnown = days.given !== null && days.held !== null;
    if (isKnown || older === undefined) return null;
    return `${older.name} was last changed on ${older.lastModified}, before the imported file`;
  };
}

/** The default of an update: registers with official data or files here. All registers together would be tens of gigabytes. */
export async function chooseRegisters(
  registry: Pick<Registry, 'listRegisters'>,
  sourcesFolder: string,
  now: number,
): Promise<Register[]> {
  const chosen: Register[] = [];
  for (const { register, entities, synthetic } of await registry.listRegisters(now)) {
    const { snapshots } = await loadState(join(sourcesFolder, register.id));
    if ((entities > 0 && !synthetic) || snapshots.length > 0) chosen.push(register);
  }
  return chosen;
}

/**
 * `updated`: imported; `unchanged`: the data comes from the publisher's current files; `available`: a check has found new files;
 * `unknown`: only a download can show whether files are new; `manual`: a person has to download the files; `busy`: another
 * process updates, fetches or imports the register; `failed`: nothing was changed.
 */
export type UpdateOutcome = 'updated' | 'unchanged' | 'available' | 'unknown' | 'manual' | 'busy' | 'failed';

/** As `firmament update --json` prints it. */
export interface UpdateResult {
  readonly register: string;
  readonly outcome: UpdateOutcome;
  /** What happened and what to do. Null if there is nothing to report. */
  readonly message: string | null;
  /** The number of the import; null if nothing was imported. */
  readonly generation: number | null;
  readonly counts: ImportResult['counts'] | null;
  readonly warnings: readonly string[];
  readonly files: FetchResult['files'];
  readonly seconds: number;
}

export function describeUpdate(
  register: string,
  outcome: UpdateOutcome,
  details: Partial<Omit<UpdateResult, 'register' | 'outcome'>>,
): UpdateResult {
  const nothing = { message: null, generation: null, counts: null, warnings: [], files: [], seconds: 0 };
  return { register, outcome, ...nothing, ...details };
}
