import { join } from 'node:path';
import type { Queries } from '../../base/db/db.ts';
import { FormatError } from '../../formats/rows.ts';
import type { Register } from '../../registers/contract.ts';
import type { RowRange } from '../../registry/records/records.ts';
import { findOriginals, findStamp, type Original } from '../fetch/originals.ts';
import { type Claim, type ClaimedPart, findClaim, isSynthetic } from './claim.ts';
import { type Comparison, compareFields, compareSource, type ReadPart, readAgain } from './compare.ts';

/**
 * `proven`: files, hashes, rows, cells and fields agree. `different`: the store and an intact original differ. `altered`: a
 * kept file no longer has its hash. `not kept`: an original is missing, and nothing else is wrong. `unverifiable`: this
 * version of the program cannot find the rows.
 */
export type ProofOutcome = 'proven' | 'different' | 'altered' | 'not kept' | 'unverifiable';

export interface Proof {
  readonly id: string;
  readonly register: string;
  readonly name: string;
  readonly outcome: ProofOutcome;
  /** The outcome in a sentence or two, with what to do. */
  readonly message: string;
  readonly synthetic: boolean;
  /** Whether a newer file of the register lacks the company. The record has the content of the last file with it. */
  readonly delisted: boolean;
  /** The main file and row. Null if the store does not know the file. */
  readonly source: { readonly file: string; readonly hash: string; readonly row: number } | null;
  readonly files: readonly ProvenFile[];
  /** The cells of `sourceData`. Null if no original could be read. */
  readonly cells: Comparison | null;
  /** The normalized fields. Null if the rows could not be mapped again. */
  readonly fields: Comparison | null;
  /** Why this version of the program cannot make a record of the rows. Null without such a problem. */
  readonly fieldsProblem: string | null;
  readonly given: readonly { readonly path: string; readonly hash: string | null }[];
}

/** `unreadable`: the file has the right bytes, but this version of the program cannot find the rows in the file. */
type FileState = 'intact' | 'altered' | 'not kept' | 'unreadable';

export interface ProvenFile {
  readonly file: string;
  readonly hash: string;
  /** The address that the file was fetched from, or else the page of the publisher. */
  readonly url: string;
  readonly state: FileState;
  readonly path: string | null;
  readonly actualHash: string | null;
  /** What is wrong with the file. Null if `state` is explanation enough. */
  readonly problem: string | null;
  readonly parts: readonly (Pick<ClaimedPart, 'entry' | 'table' | 'content' | 'rows'> & {
    /** How many of the rows were found; null if the file was not read. */
    readonly found: number | null;
  })[];
}

/** The part of a proof that its outcome depends on. */
type Checks = Pick<Proof, 'files' | 'given' | 'cells' | 'fields' | 'fieldsProblem'>;

/** Derives the outcome. An altered file decides first, because its content proves nothing. */
function judge({ files, cells, fields, fieldsProblem }: Checks): ProofOutcome {
  const has = (state: ProvenFile['state']) => files.some((file) => file.state === state);
  if (has('altered')) return 'altered';
  const differs = (cells?.differ ?? 0) + (fields?.differ ?? 0) > 0;
  if (differs || fieldsProblem !== null || files.some(lacksRows)) return 'different';
  if (has('unreadable') || files.length === 0) return 'unverifiable';
  return has('not kept') ? 'not kept' : 'proven';
}

function lacksRows({ parts }: ProvenFile): boolean {
  return parts.some(({ content, rows, found }) => content !== 'codes' && found !== null && found !== countRows(rows));
}

export function countRows(rows: readonly RowRange[]): number {
  return rows.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

interface Subject {
  readonly synthetic: boolean;
  /** Undefined if the program no longer has this register. */
  readonly register: Register | undefined;
  readonly checks: Checks;
}

/** The outcome in a few sentences: what it means and what to do. */
const MESSAGES: Readonly<Record<ProofOutcome, (subject: Subject) => string>> = {
  proven({ synthetic, checks: { cells } }) {
    const withheld = cells?.withheld ?? [];
    const apart = withheld.length === 0 ? '' : `, apart from what is withheld: ${withheld.join('; ')}`;
    const proven = `Proven: the record is exactly what the original says${apart}.`;
    return synthetic ? `${proven} The original is synthetic: the company is invented.` : proven;
  },
  different({ checks: { cells, fields, fieldsProblem } }) {
    if ((cells?.differ ?? 0) > 0) {
      return 'Different: the record in the store is not what the original says. Restore a backup of the store, or import the files into an empty one.';
    }
    if (fieldsProblem !== null) {
      return `Different: the source agrees, but this version of Firmament reads no such record from it: ${fieldsProblem}.`;
    }
    if ((fields?.differ ?? 0) > 0) {
      return 'Different: the source agrees, but this version of Firmament reads other fields from it. Another version imported the record, or it was changed in the store. Import the files again with --again.';
    }
    return 'Different: the original does not have all rows that the record refers to.';
  },
  altered({ checks: { files } }) {
    const altered = files.filter(({ state }) => state === 'altered');
    const names = altered.map(({ file, problem }) => (problem === null ? file : `${file} (${problem})`)).join(', ');
    return `Altered: the hash of the kept file no longer agrees, so it proves nothing: ${names}. Name an unchanged copy with --file.`;
  },
  'not kept'({ synthetic, register, checks: { files } }) {
    const missing = files.filter(({ state }) => state === 'not kept');
    const start = `Not kept: ${missing.map(({ file }) => file).join(', ')}.`;
    if (synthetic) {
      return `${start} The original is synthetic, and the company is invented: name the generated file with --file.`;
    }
    const addresses = [...new Set(missing.map(({ url }) => url))].join(', ');
    const steps = register?.fetch.kind === 'manual' ? ` ${register.fetch.steps.join(' ')}` : '';
    return `${start} Get the edition with the same hash from ${register?.publisher}, ${addresses}, and name it with --file.${steps}`;
  },
  unverifiable({ register, checks: { files } }) {
    if (register === undefined)
      return 'Unverifiable: this version of Firmament does not have the register of the record.';
    if (files.length === 0) return 'Unverifiable: the store does not say which file the record was read from.';
    const problems = files.flatMap(({ problem }) => problem ?? []);
    return `Unverifiable: the original is intact, but its rows cannot be found: ${problems.join('; ')}.`;
  },
};

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
    const { read: readParts, ...checked } = await checkFile(claimed, found.get(hash), register, options);
    read.push(...readParts);
    const [{ file, url }] = claimed as [ClaimedPart];
    const parts = claimed.map((part) => {
      const { entry, table, content, rows } = part;
      const rowsFound = readParts.find((each) => each.claimed === part)?.rows.length ?? null;
      return { entry, table, content, rows, found: rowsFound };
    });
    files.push({ file, hash, url: url ?? register.sourceUrl, ...checked, parts });
  }
  const checks = { ...NOTHING_CHECKED, files, given, cells: read.length === 0 ? null : compareSource(claim, read) };
  if (files.some(({ state }) => state !== 'intact')) return describeProof(claim, register, checks);
  try {
    const fields = await compareFields(claim, read, register, options.registers);
    return describeProof(claim, register, { ...checks, fields });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return describeProof(claim, register, { ...checks, fieldsProblem: error.message });
  }
}

const NOTHING_CHECKED: Checks = { files: [], given: [], cells: null, fields: null, fieldsProblem: null };

async function checkFile(
  claimed: readonly ClaimedPart[],
  original: Original | undefined,
  register: Register,
  { onProgress, signal }: ProveOptions,
): Promise<Pick<ProvenFile, 'state' | 'path' | 'actualHash' | 'problem'> & { read: readonly ReadPart[] }> {
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
    const read = await readAgain(path, claimed, { register, onBytes, signal });
    // The file was hashed before it was read: both must have seen the same bytes.
    const problem = findStamp(path) === original.stamp ? null : 'it changed while it was read: try again';
    if (problem !== null) return { ...unread, state: 'altered', problem };
    return { ...intact, state: 'intact', read };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { ...intact, state: 'unreadable', problem: error.message };
  }
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
    message: MESSAGES[outcome]({ synthetic, register, checks }),
    synthetic,
    delisted: isDelisted,
    source: file === undefined ? null : { file: file.name, hash: file.hash, row },
    ...checks,
  };
}
