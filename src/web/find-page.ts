import { fail } from '../core/errors.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import type { FoundPage } from './parts/results.ts';

/** One page of results, by the same search that answers the API. After a start there is none until the index is there. */
export async function findPage(search: Pick<Search, 'find' | 'isReady'>, query: SearchQuery): Promise<FoundPage> {
  if (!search.isReady()) {
    throw fail('service_unavailable', { message: 'Search is getting ready: try again shortly.', retryAfter: 1 });
  }
  const { body } = await search.find(query);
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
}
