import { type Deadline, millisecondsLeft, within } from '../base/system/deadline.ts';
import type { Registry } from '../registry/registry.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import type { FoundPage } from './parts/search/results.ts';

export async function findPage(
  search: Pick<Search, 'find'>,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<FoundPage> {
  const { body } = await search.find(query, account, deadline);
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
}

/** The time that what a page has besides its results leaves for the page itself. */
export const PAGE_MS = 500;

/**
 * Adds the former name of each result that has one. Search does not look at former names, and the API does not return them with
 * results, so that only pages pay for this read. A page never waits or fails for it.
 */
export async function addFormerNames(
  registry: Pick<Registry, 'findFormerNames'>,
  page: FoundPage,
  deadline: Deadline,
): Promise<FoundPage> {
  const latest = deadline - PAGE_MS;
  if (page.data.length === 0 || millisecondsLeft(latest) === 0) return page;
  const reading = registry.findFormerNames(page.data.map(({ id }) => id));
  const names = await within(latest, reading, 'reading former names').catch(() => undefined);
  if (names === undefined || names.size === 0) return page;
  return { ...page, data: page.data.map((entity) => ({ ...entity, formerName: names.get(entity.id) })) };
}
