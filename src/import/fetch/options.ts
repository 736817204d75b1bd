import type { Clock } from '../../base/clock.ts';
import type { PartyModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import type { FetchLimits } from './attempts.ts';
import type { ProxySettings } from './client.ts';
import type { Overrides } from './overrides.ts';
import type { KeptFile } from './state.ts';

/** How publishers are reached, and where their files are kept: the same for all registers. */
export interface SourceSettings {
  /** `DATA_DIR/sources`. */
  readonly folder: string;
  /** How many snapshots to keep. */
  readonly keep: number;
  /** The addresses that the operator set instead of those in the manifests. */
  readonly overrides: Overrides;
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limits: FetchLimits;
  /** Files of parties that are off are not fetched. */
  readonly parties: PartyModes;
  /** Throws a FormatError if the file is not one of the register. */
  recognize(path: string, register: Register): Promise<void>;
}

/** What one fetch is to do. */
export interface FetchRequest {
  /** Only find out whether there is something new. */
  readonly checkOnly: boolean;
  /** Hashes of files in use: a snapshot with one of them is kept, however old it is. */
  readonly inUse?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  onProgress(progress: FetchProgress): void;
}

export interface FetchProgress {
  readonly file: string;
  readonly bytes: number;
  /** Null when the publisher does not say how large the file is. */
  readonly totalBytes: number | null;
}

/**
 * `new`: downloaded; `unchanged`: the kept files are the current ones; `available` and `unknown`: only checked, there is
 * something new or only a download can tell; `manual`: a person has to do it; `busy`: another process fetches or imports it.
 */
export type FetchOutcome = 'new' | 'unchanged' | 'available' | 'unknown' | 'manual' | 'busy' | 'failed';

/** As `firmament fetch --json` prints it. */
export interface FetchResult {
  readonly register: string;
  readonly outcome: FetchOutcome;
  /** What happened and what to do, if there is something to say. */
  readonly message: string | null;
  /** The files on disk that are the newest known ones, with their paths. */
  readonly files: readonly (KeptFile & { readonly path: string })[];
}
