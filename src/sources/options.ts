import type { Recognize } from './check.ts';
import type { Connection } from './requests.ts';

/** How the files of a register are fetched. */
export interface FetchOptions extends Connection {
  /** `DATA_DIR/sources`. */
  readonly folder: string;
  /** The addresses that the operator set instead of those in the manifest. */
  readonly addresses: readonly URL[] | undefined;
  /** Only find out whether there is something new. */
  readonly checkOnly: boolean;
  /** How many snapshots to keep. */
  readonly keep: number;
  /** Hashes of files in use: a snapshot with one of them is kept, however old it is. */
  readonly inUse?: ReadonlySet<string>;
  readonly recognize: Recognize;
  onProgress(progress: FetchProgress): void;
}

export interface FetchProgress {
  readonly file: string;
  readonly bytes: number;
  /** Null when the publisher does not say how large the file is. */
  readonly totalBytes: number | null;
}
