import type { Register } from '../../registers/contract.ts';
import type { RowRange } from '../../registry/records/provenance.ts';
import type { ClaimedPart } from '../proof/claim.ts';
import type { Comparison } from '../proof/compare.ts';

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
  /** Whether the company is invented. */
  readonly synthetic: boolean;
  /** Whether a newer file of the register lacks the company. The record has the content of the last file with it. */
  readonly delisted: boolean;
  /** The main file and row. Null if the store does not know them. */
  readonly source: { readonly file: string; readonly hash: string; readonly row: number } | null;
  readonly files: readonly ProvenFile[];
  /** The cells of `sourceData`. Null if no original could be read. */
  readonly cells: Comparison | null;
  /** The normalized fields. Null if they could not be read again. */
  readonly fields: Comparison | null;
  /** Why this version of the program cannot make a record of the rows. Null if it can. */
  readonly fieldsProblem: string | null;
  readonly given: readonly { readonly path: string; readonly hash: string | null }[];
}

/** `unreadable`: it has the right bytes, but this version of the program cannot find the rows in it. */
type FileState = 'intact' | 'altered' | 'not kept' | 'unreadable';

export interface ProvenFile {
  readonly file: string;
  readonly hash: string;
  /** The address it was fetched from, else the page of the publisher. */
  readonly url: string;
  readonly state: FileState;
  /** Where it was found. */
  readonly path: string | null;
  /** The hash that it has now. */
  readonly actualHash: string | null;
  /** What is wrong with the file. Null if `state` is explanation enough. */
  readonly problem: string | null;
  readonly parts: readonly (Pick<ClaimedPart, 'entry' | 'table' | 'content' | 'rows'> & {
    /** How many of the rows were found; null if the file was not read. */
    readonly found: number | null;
  })[];
}

/** The part of a proof that its outcome depends on. */
export type Checks = Pick<Proof, 'files' | 'given' | 'cells' | 'fields' | 'fieldsProblem'>;

/** An altered file comes first: what it says proves nothing. */
export function judge({ files, cells, fields, fieldsProblem }: Checks): ProofOutcome {
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
  /** Undefined if the program no longer has it. */
  readonly register: Register | undefined;
  readonly checks: Checks;
}

/** The outcome in a few sentences: what it means and what to do. */
export function describeOutcome(outcome: ProofOutcome, subject: Subject): string {
  switch (outcome) {
    case 'proven':
      return describeProven(subject);
    case 'different':
      return describeDifferent(subject.checks);
    case 'altered':
      return describeAltered(subject.checks);
    case 'not kept':
      return describeNotKept(subject);
    case 'unverifiable':
      return describeUnverifiable(subject);
  }
}

function describeProven({ synthetic, checks: { cells } }: Subject): string {
  const withheld = cells?.withheld ?? [];
  const apart = withheld.length === 0 ? '' : `, apart from what is withheld: ${withheld.join('; ')}`;
  const proven = `Proven: the record is exactly what the original says${apart}.`;
  return synthetic ? `${proven} The original is synthetic: the company is invented.` : proven;
}

function describeDifferent({ cells, fields, fieldsProblem }: Checks): string {
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
}

function describeAltered({ files }: Checks): string {
  const altered = files.filter(({ state }) => state === 'altered');
  const names = altered.map(({ file, problem }) => (problem === null ? file : `${file} (${problem})`)).join(', ');
  return `Altered: the hash of the kept file no longer agrees, so it proves nothing: ${names}. Name an unchanged copy with --file.`;
}

function describeNotKept({ synthetic, register, checks: { files } }: Subject): string {
  const missing = files.filter(({ state }) => state === 'not kept');
  const start = `Not kept: ${missing.map(({ file }) => file).join(', ')}.`;
  if (synthetic) {
    return `${start} The original is synthetic, and the company is invented: name the generated file with --file.`;
  }
  const addresses = [...new Set(missing.map(({ url }) => url))].join(', ');
  const steps = register?.fetch.kind === 'manual' ? ` ${register.fetch.steps.join(' ')}` : '';
  return `${start} Get the edition with the same hash from ${register?.publisher}, ${addresses}, and name it with --file.${steps}`;
}

function describeUnverifiable({ register, checks: { files } }: Subject): string {
  if (register === undefined)
    return 'Unverifiable: this version of Firmament does not have the register of the record.';
  if (files.length === 0) return 'Unverifiable: the store does not say which file the record was read from.';
  const problems = files.flatMap(({ problem }) => problem ?? []);
  return `Unverifiable: the original is intact, but its rows cannot be found: ${problems.join('; ')}.`;
}
