import { FirmamentError, SnapshotChanged } from './errors.ts';
import type { SearchEntitiesParameters } from './generated/operations.ts';
import type { EntityPage, EntitySummary } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import { sleep } from './retries.ts';
import type { Transport } from './transport.ts';

/** The filters of `searchEntities`. Pages are read as needed; `pageSize` is 100 if you do not choose another. */
export type SearchQuery = Omit<SearchEntitiesParameters, 'page'>;

export interface SearchOptions extends CallOptions {
  /**
   * What to do when an import comes between two pages. `restart` reads all pages again and gives only companies that were not given
   * yet: no company twice, and every company of the last snapshot. Companies that were given before the import may have changed or
   * no longer match. It keeps the ids of all companies that it has given. `throw` ends with `SnapshotChanged`.
   * @default 'restart'
   */
  readonly onChange?: 'restart' | 'throw' | undefined;
  /** How many imports a search may survive before it ends with `SnapshotChanged`. @default 10 */
  readonly restarts?: number | undefined;
}

/** All companies that match, from all pages. Time limits apply to each page; use `signal` to limit the whole search. */
export interface SearchResults extends AsyncGenerator<EntitySummary, void, undefined> {
  /**
   * Where to follow changes from, to keep what the search gave up to date: everything that it does not show yet comes after this
   * cursor. Undefined until the first page is read.
   */
  readonly cursor: string | undefined;
}

const MAX_PAUSE_MS = 8_000;

export function searchAll(
  transport: Transport,
  query: SearchQuery,
  options: SearchOptions,
  backoff: number,
): SearchResults {
  let first: string | undefined;
  // After a restart, companies of the first snapshot are not given again.
  const results = walkPages(transport, query, options, backoff, (snapshot) => {
    first ??= snapshot;
  });
  return Object.defineProperty(results, 'cursor', { get: () => first }) as SearchResults;
}

async function* walkPages(
  transport: Transport,
  query: SearchQuery,
  { onChange = 'restart', restarts = 10, ...options }: SearchOptions,
  backoff: number,
  onSnapshot: (snapshot: string) => void,
): AsyncGenerator<EntitySummary, void, undefined> {
  const given = new Set<string>();
  const { pageSize = 100 } = query;
  const maxRestarts = onChange === 'restart' ? restarts : 0;
  let restarted = 0;
  let snapshot: string | undefined;
  let seen = 0;
  for (let page = 1; ; page++) {
    const { body, version } = await transport.call('searchEntities', { ...query, pageSize, page }, options);
    if (version === null)
      throw new FirmamentError('The reply has no X-Data-Version: update the service, or let proxies pass it.');
    if (version !== (snapshot ?? version)) {
      if (restarted >= maxRestarts)
        throw new SnapshotChanged('The data changed between two pages of the search: start again.');
      // Several servers may need a moment until all of them serve the new snapshot.
      await sleep(Math.min(backoff * 2 ** restarted++, MAX_PAUSE_MS), options.signal);
      snapshot = undefined;
      seen = page = 0;
      continue;
    }
    snapshot = version;
    onSnapshot(snapshot);
    const { data, meta } = body as EntityPage;
    for (const company of data) {
      if (given.has(company.id)) continue;
      if (onChange === 'restart') given.add(company.id);
      yield company;
    }
    seen += data.length;
    if (page < meta.pageCount) continue;
    if (seen !== meta.total)
      throw new FirmamentError(`The pages have ${seen} companies of ${meta.total}: report this.`);
    return;
  }
}
