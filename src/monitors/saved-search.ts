import { fail } from '../core/errors.ts';
import { parseVersion } from '../core/version.ts';
import type { Queries } from '../db/db.ts';
import { findMatching, type MatchRow } from '../search/match-row.ts';
import type { Search, SearchQuery, WholeResult } from '../search/search.ts';

/** Which companies match saved searches. */
export interface SavedSearches {
  /**
   * The companies that match now, or undefined if there are more than `most`. The data is not older than `generation`; throws
   * `service_unavailable` if the index is.
   */
  collect(query: SearchQuery, most: number, generation: number): Promise<Collected>;
  /** The numbers of the searches that each of these companies matches now, by id. */
  evaluate(
    searches: ReadonlyMap<number, MatchRow>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlySet<number>>>;
}

export interface Collected {
  /** The version of the data that they match in. */
  readonly version: string;
  readonly total: number;
  /** Undefined if there are too many. */
  readonly ids: readonly string[] | undefined;
}

export function createSavedSearches(search: Pick<Search, 'refresh' | 'readAll'>, registryDb: Queries): SavedSearches {
  return {
    async collect(query, most, generation) {
      await search.refresh();
      return search.readAll(query, async (result) => {
        const { version, total } = result;
        if (parseVersion(version).generation < generation) throw fail('service_unavailable', BEHIND);
        return { version, total, ids: total > most ? undefined : await readIds(result) };
      });
    },
    evaluate: (searches, ids) => findMatching(registryDb, searches, ids),
  };
}

const BEHIND = { message: 'Search does not have the newest data yet: try again shortly.', retryAfter: 1 } as const;

async function readIds(result: WholeResult): Promise<string[]> {
  const ids: string[] = [];
  for await (const { lines } of result.read(result.total)) {
    for (const line of Buffer.from(lines).toString().split('\n')) if (line !== '') ids.push(JSON.parse(line).id);
  }
  return ids;
}
