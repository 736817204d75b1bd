import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import type { SourceChecks } from '../registry/checks/checks.ts';
import type { ImportOptions } from '../registry/import.ts';
import type { FetchOptions } from '../sources/options.ts';
import type { SourceSettings } from './fetch-register.ts';

export interface UpdateOptions extends Pick<ImportOptions, 'onWait'> {
  readonly db: Db;
  readonly checks: SourceChecks;
  readonly clock: Clock;
  readonly log: Log;
  readonly sources: SourceSettings;
  /** The version of the program. */
  readonly program: string;
  /** Only find out what there is to do. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly onFetch: FetchOptions['onProgress'];
  readonly onImport: NonNullable<ImportOptions['onProgress']>;
}
