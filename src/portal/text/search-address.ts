import type { Html } from '../../base/html.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import type { SearchQuery, SortOrder } from '../../search/search.ts';
import { highlight } from '../docs/highlight.ts';

export const SORT_NAMES: Readonly<Record<SortOrder, string>> = {
  relevance: 'Relevance',
  name: 'Name',
  '-registeredAt': 'Newest registration',
  '-updatedAt': 'Last change',
};

/** The URL parameters of a query. Default values are left out, so that addresses stay short. */
export function toParameters(query: SearchQuery): URLSearchParams {
  // The default order depends on whether the query has words.
  const defaults = { ...toSearchQuery({ words: query.words }), words: '' };
  const names = (Object.keys(defaults) as (keyof SearchQuery)[]).filter((name) => query[name] !== defaults[name]);
  return new URLSearchParams(names.map((name) => [name, String(query[name])]));
}

/** The text of a search, from both parameters, to show on a page. */
export function textOf({ words, q }: Pick<SearchQuery, 'words' | 'q'>): string {
  return [words.trim(), q.trim()].filter((text) => text !== '').join(' ');
}

/** The address of a result page. A search without filters keeps an empty `q`: without any parameter, no search runs. */
export function exploreAddress(query: SearchQuery): string {
  return `/explore?${toParameters(query).toString() || 'q='}`;
}

export function apiAddress(publicUrl: string, query: SearchQuery): string {
  const parameters = toParameters(query).toString();
  return `${publicUrl}/api/v1/entities${parameters && `?${parameters}`}`;
}

/**
 * Single quotes keep the shell from interpreting the address. Quotes inside the address are percent-encoded, so they cannot end the text.
 */
export function formatCurl(address: string): Html {
  return highlight(`curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  '${address.replaceAll("'", '%27')}'`, 'sh');
}
