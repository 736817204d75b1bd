import { join } from 'node:path';
import type { Queries } from '../../base/db/db.ts';
import type { Register } from '../../registers/contract.ts';
import { findOriginals, findStamp, type Original } from '../fetch/originals.ts';
import { type Claim, type ClaimedPart, findClaim, isSynthetic } from '../proof/claim.ts';
import { compareSource } from '../proof/compare.ts';
import { compareFields } from '../proof/map-again.ts';
import { type ReadPart, readAgain, UnreadableFile } from '../proof/read-again.ts';
import { type Checks, describeOutcome, judge, type Proof, type ProvenFile } from './proof.ts';

/** Proves a record: reads its rows again in the official files, found by hash, and compares every cell and field. */
export interface ProveOptions {
  readonly db: Queries;
  readonly registers: readonly Register[];
  readonly folder: string;
  /** The folder in which the demo keeps the files that it invents. */
  readonly samples: string;
  /** Paths of originals that were not fetched. */
  readonly given: readonly string[];
  readonly onProgress: (progress: ProofProgress) => void;
  readonly signal: AbortSignal;
}

export interface ProofProgress {
  readonly step: 'hashing' | 'reading';
  readonly file: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** `id` is a UUID in lower case. Returns undefined if there is no such record. */
export async function proveRecord(id: string, options: ProveOptions): Promise<Proof | undefined> {
  const claim = await findClaim(options.db, id);
  if (claim === null) return undefined;
  const register = options.registers.find((candidate) => candidate.id === claim.register);
  if (claim.file === undefined || register === undefined) return describeProof(claim, register, NOTHING_CHECKED);
  const parts = Map.groupBy(claim.parts, ({ hash }) => hash);
  const { found, given } = await findOriginals(new Set(parts.keys()), {
    folder: join(options.folder, register.id),
    samples: join(options.samples, register.id),
    given: options.given,
    onProgress: (progress) => options.onProgress({ step: 'hashing', ...progress }),
    signal: options.signal,
  });
  const files: ProvenFile[] = [];
  const read: ReadPart[] = [];
  for (const [hash, claimed] of parts) {
    const checked = await checkFile(claimed, found.get(hash), register, options);
    files.push(describeFile(claimed, checked, register));
    read.push(...checked.read);
  }
  const isComplete = files.every(({ state }) => state === 'intact');
  const compared = isComplete ? await compareFields(claim, read, register, options.registers) : null;
  return describeProof(claim, register, {
    files,
    given,
    cells: read.length === 0 ? null : compareSource(claim, read),
    fields: compared === null || 'problem' in compared ? null : compared,
    fieldsProblem: compared !== null && 'problem' in compared ? compared.problem : null,
  });
}

const NOTHING_CHECKED: Checks = { files: [], given: [], cells: null, fields: null, fieldsProblem: null };

interface CheckedFile extends Pick<ProvenFile, 'state' | 'path' | 'actualHash' | 'problem'> {
  readonly read: readonly ReadPart[];
}

async function checkFile(
  claimed: readonly ClaimedPart[],
  original: Original | undefined,
  register: Register,
  { registers, onProgress, signal }: ProveOptions,
): Promise<CheckedFile> {
  const unread = { path: original?.path ?? null, actualHash: null, problem: null, read: [] };
  if (original === undefined) return { ...unread, state: 'not kept' };
  const { path } = original;
  if (original.state === 'altered') {
    const problem = original.hash === null ? 'it cannot be read' : null;
    return { ...unread, state: 'altered', actualHash: original.hash, problem };
  }
  const intact = { ...unread, actualHash: claimed[0]?.hash ?? null };
  try {
    const onBytes = (bytes: number, totalBytes: number) =>
      onProgress({ step: 'reading', file: path, bytes, totalBytes });
    const read = await readAgain(path, claimed, { register, registers, onBytes, signal });
    // It was hashed before it was read: both must have seen the same bytes.
    const problem = findStamp(path) === original.stamp ? null : 'it changed while it was read: try again';
    if (problem !== null) return { ...unread, state: 'altered', problem };
    return { ...intact, state: 'intact', read };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...intact, state: 'unreadable', problem: error.message };
  }
}

function describeFile(
  claimed: readonly ClaimedPart[],
  { read, ...checked }: CheckedFile,
  { sourceUrl }: Register,
): ProvenFile {
  const [{ file, hash, url }] = claimed as [ClaimedPart];
  const parts = claimed.map((part) => {
    const { entry, table, content, rows } = part;
    return { entry, table, content, rows, found: read.find((each) => each.claimed === part)?.rows.length ?? null };
  });
  return { file, hash, url: url ?? sourceUrl, ...checked, parts };
}

function describeProof(claim: Claim, register: Register | undefined, checks: Checks): Proof {
  const { id, name, isDelisted, file, row } = claim;
  const outcome = judge(checks);
  const synthetic = isSynthetic(claim);
  return {
    id,
    register: claim.register,
    name,
    outcome,
    message: describeOutcome(outcome, { synthetic, register, checks }),
    synthetic,
    delisted: isDelisted,
    source: file === undefined ? null : { file: file.name, hash: file.hash, row },
    ...checks,
  };
}
