import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Register } from '../registers/contract.ts';
import { takeLock } from '../system/lock.ts';
import { limitTime } from './attempts.ts';
import { isChanged } from './download.ts';
import { findFiles, type OfferedFile, offerAddresses } from './find.ts';
import { findKept } from './keep.ts';
import type { FetchOptions } from './options.ts';
import { type Advice, SourceProblem, toProblem } from './problem.ts';
import { NO_VALIDATORS } from './responses.ts';
import { keepSnapshot } from './snapshot.ts';
import { type KeptFile, openState, type Snapshot, writeState } from './state.ts';

/**
 * The files of publishers: finding the newest ones, downloading, checking and keeping them in
 * `DATA_DIR/sources/<register>/`. This folder knows no database and imports nothing into one: a register arrives as an
 * argument, and so does the function that recognizes its files.
 */

/**
 * `new`: downloaded; `unchanged`: the kept files are the current ones; `available` and `unknown`: only checked, there is
 * something new or only a download can tell; `manual`: a person has to do it; `busy`: another process fetches or imports it.
 */
export type FetchOutcome = 'new' | 'unchanged' | 'available' | 'unknown' | 'manual' | 'busy' | 'failed';

export interface FetchResult {
  readonly register: string;
  readonly outcome: FetchOutcome;
  /** What happened and what to do, if there is something to say. */
  readonly message: string | null;
  /** The files on disk that are the newest known ones, with their paths. */
  readonly files: readonly (KeptFile & { readonly path: string })[];
}

/**
 * Fetches the files of one register, and keeps them locked while `use` works with them, so that no other process replaces or
 * removes them. Problems of the publisher, the network and the disk are a result, not an error.
 */
export async function fetchSource<T>(
  register: Register,
  options: FetchOptions,
  use: (fetched: FetchResult) => Promise<T>,
): Promise<T> {
  const { id, fetch: plan } = register;
  const result: WriteResult = (outcome, message = null) => ({ register: id, outcome, message, files: [] });
  if (plan.kind === 'manual' && options.addresses === undefined) {
    return use(result('manual', `This register cannot be fetched automatically: ${plan.steps.join(' ')}`));
  }
  const folder = join(options.folder, id);
  const orDescribe = async <R>(work: () => Promise<R>): Promise<R | FetchResult> => {
    try {
      return await work();
    } catch (error) {
      const problem = toProblem(error, new URL(register.sourceUrl));
      if (options.signal.aborted || !(problem instanceof SourceProblem)) throw error;
      return result('failed', describeProblem(problem, register, options.addresses !== undefined));
    }
  };
  const lock = await orDescribe(() => lockFolder(folder, options));
  if (lock === null) {
    return use(result('busy', 'Another process is updating this register: wait until it has finished.'));
  }
  if ('outcome' in lock) return use(lock);
  try {
    const limit = { ms: options.limits.registerMs, failure: 'the publisher did not send all files' };
    const fetchInTime = () =>
      limitTime(limit, options.signal, (signal) => fetchLocked(register, folder, { ...options, signal }, result));
    return await use(await orDescribe(fetchInTime));
  } finally {
    await lock.release();
  }
}

type WriteResult = (outcome: FetchOutcome, message?: string | null) => FetchResult;

async function lockFolder(folder: string, { clock }: FetchOptions) {
  // Like all of DATA_DIR, only for the user that runs the service.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return takeLock(join(folder, 'lock'), clock);
}

async function fetchLocked(
  register: Register,
  folder: string,
  options: FetchOptions,
  result: WriteResult,
): Promise<FetchResult> {
  const { state, notice } = await openState(folder);
  const offered = await offerFiles(register, options);
  if (options.checkOnly) {
    const outcome = await compare(folder, state.snapshots.at(-1), offered, options);
    await writeState(folder, { ...state, checkedAt: new Date(options.clock.now()).toISOString() });
    const newest = outcome === 'unchanged' ? state.snapshots.at(-1) : undefined;
    return { ...result(outcome, notice), files: newest === undefined ? [] : listPaths(folder, newest) };
  }
  const kept = await keepSnapshot(register, offered, { folder, state, options });
  if ('refusal' in kept) return result('failed', kept.refusal);
  const { snapshot, isNew } = kept;
  return { ...result(isNew ? 'new' : 'unchanged', notice), files: listPaths(folder, snapshot) };
}

function listPaths(folder: string, snapshot: Snapshot): FetchResult['files'] {
  return snapshot.files.map((file) => ({ ...file, path: join(folder, snapshot.folder, file.name) }));
}

function offerFiles({ fetch: plan }: Register, options: FetchOptions): Promise<OfferedFile[]> | OfferedFile[] {
  if (options.addresses !== undefined) return offerAddresses(options.addresses);
  return plan.kind === 'manual' ? [] : findFiles(plan, options);
}

/** Whether the offered files are the kept ones. The first difference decides. */
async function compare(
  folder: string,
  newest: Snapshot | undefined,
  offered: readonly OfferedFile[],
  options: FetchOptions,
): Promise<FetchOutcome> {
  let outcome: FetchOutcome = 'unchanged';
  for (const { id, locate } of offered) {
    const kept = await findKept(folder, newest, id);
    const changed = await isChanged(await locate(), kept?.file ?? NO_VALIDATORS, options);
    if (kept === undefined || changed === true) return 'available';
    if (changed === null) outcome = 'unknown';
  }
  return outcome;
}

/** One sentence: what happened, and what to do. */
function describeProblem(
  { message, advice }: SourceProblem,
  { sourceUrl, fetch: plan }: Register,
  isOverride: boolean,
): string {
  const address = isOverride
    ? 'correct its address in FETCH_SOURCES'
    : `find its new address on ${sourceUrl} and name it in FETCH_SOURCES`;
  const advices: Readonly<Record<Advice, string>> = {
    moved: address,
    later: 'run the command again later',
    network: 'check the network, DNS and proxy settings of this machine',
    certificate: 'check the clock and the CA certificates of this machine, and do not download the file in another way',
    proxy: 'check HTTPS_PROXY and NO_PROXY',
    look: `open ${sourceUrl} in a browser to see what the publisher offers now`,
    permission: 'let the user that runs this command write there',
    continue: 'run the command again, and it continues where it stopped',
    disk: 'make space in DATA_DIR and run the command again, and it continues where it stopped',
  };
  const isGuess = !isOverride && advice === 'moved' && plan.kind !== 'manual' && !plan.origin.seenWorking;
  const origin = isGuess ? ` (the address was read in ${plan.origin.readIn} on ${plan.origin.readAt})` : '';
  const sentence = `${message}${origin}: ${advices[advice]}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
