import type { Search, SearchQuery } from '../search/search.ts';
import type { Deadline } from '../system/deadline.ts';
import type { FoundPage } from './parts/search/results.ts';

/** Returns one page of results from the search that answers the API. */
export async function findPage(
  search: Pick<Search, 'find'>,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<FoundPage> {
  const { body } = await search.find(query, account, deadline);
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
}
