import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '../accounts/metering/meter.ts';
import type { NamedSecrets } from '../accounts/named-secrets.ts';
import type { Schemas } from '../base/db/migrate.ts';
import type { Log } from '../base/log.ts';
import { createApiKey } from '../base/secrets.ts';
import type { TimeLimits } from '../base/system/time-limits.ts';
import type { Registry } from '../registry/registry.ts';
import type { Search } from '../search/search.ts';

/**
 * Whether a data request would be answered now. The check follows the path of a data request: it looks up a key, counts a request, searches and reads
 * a record. So it fails if a store cannot be read, if the accounts cannot be written, or if there is no index.
 */
interface ReadinessServices {
  readonly schemas: Pick<Schemas, 'readState'>;
  readonly apiKeys: Pick<NamedSecrets, 'findKey'>;
  readonly meter: Pick<Meter, 'probe'>;
  readonly search: Pick<Search, 'isReady' | 'version'>;
  readonly registry: Pick<Registry, 'findEntity' | 'version'>;
  readonly log: Log;
  readonly timeLimits: Pick<TimeLimits, 'readinessMs'>;
}

/**
 * A failure is reported within a second: the previous result is kept for `KEEP_MS`, that result may depend on a request counted up to 100 ms earlier
 * (`Meter.probe`), and the next check takes at most `readinessMs`. A recovery is reported as fast.
 */
const KEEP_MS = 100;

/** An id and a key that do not exist, so the lookups find nothing. */
const NO_ENTITY = '00000000-0000-0000-0000-000000000000';
const NO_KEY = createApiKey('live');

/** Concurrent callers share one check, and its result is kept for a moment, so that probes cannot load the database. */
export function createReadiness(services: ReadinessServices): () => Promise<boolean> {
  const { schemas, apiKeys, meter, search, registry, log } = services;
  const { readinessMs } = services.timeLimits;

  async function answerRequest(): Promise<void> {
    const state = await schemas.readState();
    if (state !== 'current')
      throw new Error(`the schema is ${state === 'behind' ? 'not migrated' : 'not one of this release'}`);
    if (!search.isReady()) throw new Error('search is starting');
    await Promise.all([
      apiKeys.findKey(NO_KEY),
      meter.probe(),
      search.version(),
      registry.findEntity(NO_ENTITY),
      registry.version(),
    ]);
  }

  async function giveUp(): Promise<never> {
    await sleep(readinessMs, undefined, { ref: false });
    // If the event loop was blocked, answers that have arrived meanwhile are read first.
    await nextTurn();
    throw new Error(`the databases did not answer within ${readinessMs} ms`);
  }

  let wasReady: boolean | undefined;
  async function check(): Promise<boolean> {
    try {
      await Promise.race([answerRequest(), giveUp()]);
      if (wasReady === false) log.info('ready again');
      wasReady = true;
    } catch (error) {
      if (wasReady !== false) log.warn({ err: error }, 'not ready');
      wasReady = false;
    }
    return wasReady;
  }

  let latest: Promise<boolean> | undefined;
  return () => {
    latest ??= check().finally(() => {
      setTimeout(() => {
        latest = undefined;
      }, KEEP_MS).unref();
    });
    return latest;
  };
}
