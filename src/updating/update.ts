import type { Register } from '../registers/contract.ts';
import { listCurrentHashes } from '../registry/history/history.ts';
import type { FetchResult } from '../sources/sources.ts';
import { describeFailure } from './failure.ts';
import { fetchRegister } from './fetch-register.ts';
import { findKeptStanding, importFetched } from './import-fetched.ts';
import type { UpdateOptions } from './update-options.ts';
import { describeUpdate, type UpdateOutcome, type UpdateResult } from './update-result.ts';

/**
 * Updates: fetching the files of a register and importing them if they are new, without a person. This folder connects
 * `sources/`, which knows no database, with `registry/`, which knows no publisher.
 */

/** Updates one register and records the attempt. Every problem is a result; only an abort throws. */
export async function updateRegister(register: Register, options: UpdateOptions): Promise<UpdateResult> {
  const started = performance.now();
  const result = await attempt(register, options);
  if (!options.dryRun) await record(result, options);
  return { ...result, seconds: Math.round(performance.now() - started) / 1_000 };
}

async function attempt(register: Register, options: UpdateOptions): Promise<UpdateResult> {
  const { db, sources, dryRun, signal, onFetch: onProgress, log } = options;
  try {
    // The originals of the data stay, even if later ones are refused again and again.
    const inUse = new Set(await listCurrentHashes(db, register.id));
    const request = { checkOnly: dryRun, inUse, signal, onProgress };
    return await fetchRegister(register, sources, request, (fetched) => useFetched(register, fetched, options));
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, isUnexpected } = describeFailure(error);
    if (isUnexpected) log.warn({ err: error, register: register.id }, 'an update failed unexpectedly');
    return describeUpdate(register.id, 'failed', { message });
  }
}

async function useFetched(register: Register, fetched: FetchResult, options: UpdateOptions): Promise<UpdateResult> {
  const { outcome, message, files } = fetched;
  const importThem = async () => {
    const result = await importFetched(register, files, options);
    return { ...result, message: result.message ?? message };
  };
  if (outcome === 'new') return importThem();
  if (outcome !== 'unchanged')
    return describeUpdate(register.id, outcome, { message: message ?? adviseUpdate(outcome) });
  // An earlier update may have been interrupted after its fetch, or refused.
  if (!options.dryRun) return importThem();
  const { standing } = await findKeptStanding(register, files, options);
  if (standing === 'current') return describeUpdate(register.id, 'unchanged', { files, message });
  const kept = 'The newest files are kept, but not imported: an update would try to import them.';
  return describeUpdate(register.id, 'available', { files, message: kept });
}

/** What a dry run says about files that it did not download. */
function adviseUpdate(outcome: UpdateOutcome): string | null {
  if (outcome === 'available') return 'There are new files: an update would download and import them.';
  if (outcome === 'unknown')
    return 'The publisher does not say whether its files have changed: an update would download them.';
  return null;
}

async function record({ register, outcome, message }: UpdateResult, options: UpdateOptions): Promise<void> {
  const { checks, clock, log } = options;
  try {
    if (outcome === 'updated' || outcome === 'unchanged') await checks.recordSuccess(register, clock.now());
    if (outcome === 'failed') await checks.recordFailure(register, message ?? '', clock.now());
  } catch (error) {
    // The database is probably what failed. The result says so already.
    log.warn({ err: error, register }, 'the result of an update could not be recorded');
  }
}
