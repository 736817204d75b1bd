import type { ClaimedPart } from '../importing/proof/claim.ts';
import type { Comparison } from '../importing/proof/compare.ts';

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
