import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../base/db/lock.ts';
import { listSetModes, type PartyModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import type { FetchPlan } from '../../registers/fetch-plan.ts';
import { isChanged } from './download.ts';
import { findFiles, type OfferedFile, offerAddresses } from './find.ts';
import { describeProblem, SourceProblem, toProblem } from './problem.ts';
import { createClient, limitTime, NO_VALIDATORS } from './requests.ts';
import {
  type Fetching,
  type FetchOutcome,
  type FetchRequest,
  type FetchResult,
  findKept,
  keepSnapshot,
  listPaths,
  type SourceSettings,
} from './snapshot.ts';
import { type KeptFile, loadState, writeState } from './state.ts';

/**
 * The files of publishers: finding the newest files, downloading, checking and keeping them in
 * `DATA_DIR/sources/<register>/`. This folder knows no database and imports nothing into a database: a register arrives as an
 * argument, and the function that recognizes its files with the settings.
 */

/** The result of a fetch. Until it is disposed of, the files are locked: no other process replaces or removes them. */
interface Fetched extends AsyncDisposable {
  readonly result: FetchResult;
  /** The files of all kept snapshots. */
  readonly kept: readonly KeptFile[];
}

/** Fetches the files of one register. Problems of the publisher, the network and the disk are a result, not an error. */
export async function fetchSource(whole: Register, settings: SourceSettings, request: FetchRequest): Promise<Fetched> {
  const { register, leftOut } = leaveOutParties(whole, settings.parties);
  const { id, fetch: plan } = register;
  const addresses = settings.overrides.get(id);
  await using locks = new AsyncDisposableStack();
  const end = (result: Omit<FetchResult, 'register'>, kept: readonly KeptFile[] = []): Fetched => {
    const held = locks.move();
    return { result: { register: id, ...result }, kept, [Symbol.asyncDispose]: () => held.disposeAsync() };
  };
  const endWithout = (outcome: FetchOutcome, message: string) => end({ outcome, message, files: [] });
  if (plan.kind === 'manual' && addresses === undefined) {
    return endWithout('manual', `This register cannot be fetched automatically: ${plan.steps.join(' ')}`);
  }
  try {
    const folder = join(settings.folder, id);
    // Like all folders of DATA_DIR, this folder is only for the user that runs the service.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = takeLock(join(folder, 'lock'));
    if (lock === null)
      return endWithout('busy', 'Another process is updating this register: wait until it has finished.');
    // A check that found nothing to keep leaves nothing. Removing a folder fails if the folder is not empty.
    locks.defer(() => rmdir(folder).catch(() => undefined));
    locks.use(lock);
    const state = await loadState(folder);
    // Only hosts of this register are trusted: no other publisher may redirect to a host in the operator's network.
    await using client = createClient(settings, new Set(addresses?.map(({ origin }) => origin)));
    using limit = limitTime(settings.limits.registerMs, request.signal, 'the publisher did not send all files');
    const connection = { client, limits: settings.limits, clock: settings.clock, signal: limit.signal };
    const fetching: Fetching = { register, leftOut, settings, request, connection, addresses, folder, state };
    const offered = addresses === undefined ? await findFiles(plan, connection) : offerAddresses(addresses);
    const result = request.checkOnly ? await compare(fetching, offered) : await keepSnapshot(fetching, offered);
    const isReduced = addresses === undefined && leftOut.length > 0;
    const left = `Files of parties are left out, because PARTIES is off for them: ${leftOut.join(', ')}.`;
    const kept = fetching.state.snapshots.flatMap(({ files }) => files);
    return end({ ...result, message: result.message ?? (isReduced ? left : null) }, kept);
  } catch (error) {
    const problem = toProblem(error, new URL(register.sourceUrl));
    if (request.signal.aborted || !(problem instanceof SourceProblem)) throw error;
    return endWithout('failed', describeProblem(problem, register, addresses !== undefined));
  }
}

/** Compares the offered files with the kept files. The first difference decides. */
async function compare(fetching: Fetching, offered: readonly OfferedFile[]): Promise<Omit<FetchResult, 'register'>> {
  const { folder, state, settings, connection } = fetching;
  const newest = state.snapshots.at(-1);
  let outcome: FetchOutcome = 'unchanged';
  for (const { id, locate } of offered) {
    const kept = await findKept(folder, newest, id);
    const changed = await isChanged(await locate(), kept ?? NO_VALIDATORS, connection);
    if (kept === undefined || changed === true) {
      outcome = 'available';
      break;
    }
    if (changed === null) outcome = 'unknown';
  }
  await writeState(folder, { ...state, checkedAt: new Date(settings.clock.now()).toISOString() });
  const files = newest === undefined || outcome !== 'unchanged' ? [] : listPaths(folder, newest);
  return { outcome, message: null, files };
}

/** The register without the files of parties that are switched off, and the sets of these parties. */
function leaveOutParties(register: Register, parties: PartyModes) {
  const modes = listSetModes(parties, register);
  const leftOut = new Set<string>();
  const keepOn = <T extends { readonly parties?: string }>(files: readonly T[]) =>
    files.filter(({ parties: set }) => {
      if (set === undefined || modes[set] !== 'off') return true;
      leftOut.add(set);
      return false;
    });
  const plan = reducePlan(register.fetch, keepOn);
  if (leftOut.size === 0 || plan.kind === 'manual') return { register: { ...register, fetch: plan }, leftOut: [] };
  const size = { ...plan.size, min: plan.size.minWithoutParties ?? plan.size.min };
  return { register: { ...register, fetch: { ...plan, size } }, leftOut: [...leftOut] };
}

function reducePlan(
  plan: FetchPlan,
  keepOn: <T extends { readonly parties?: string }>(files: readonly T[]) => T[],
): FetchPlan {
  if (plan.kind === 'fixed') return { ...plan, files: keepOn(plan.files) };
  if (plan.kind === 'page') return { ...plan, pages: keepOn(plan.pages) };
  return plan.kind === 'api' ? { ...plan, paths: keepOn(plan.paths) } : plan;
}
