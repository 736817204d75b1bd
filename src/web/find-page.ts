import { fail } from '../core/errors.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import type { FoundPage } from './parts/results.ts';

/** Returns one page of results from the search that answers the API. Fails until the first index is loaded. */
export async function findPage(search: Pick<Search, 'find' | 'isReady'>, query: SearchQuery): Promise<FoundPage> {
  if (!search.isReady()) {
    throw fail('service_unavailable', { message: 'Search is starting: try again shortly.', retryAfter: 1 });
  }
  const { body } = await search.find(query);
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
}
