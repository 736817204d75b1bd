import { PAGE_SIZE } from '../../search/read-query.ts';
import type { SearchQuery } from '../../search/search.ts';

/** What of a query has to be written: filters that are set and numbers that are not the default. */
export function writeParameters(query: SearchQuery): URLSearchParams {
  const { q, country, legalForm, activity, activityType, page, pageSize } = query;
  const written = new URLSearchParams();
  if (q !== '') written.set('q', q);
  if (country !== undefined) written.set('country', country);
  if (legalForm !== undefined) written.set('legalForm', legalForm);
  if (activity !== undefined) written.set('activity', activity);
  if (activityType !== 'unlicensed') written.set('activityType', activityType);
  if (page !== 1) written.set('page', String(page));
  if (pageSize !== PAGE_SIZE.default) written.set('pageSize', String(pageSize));
  return written;
}

/** The address of a page of results in the portal; a search for everything has a parameter too, for without one there is none. */
export function exploreAddress(query: SearchQuery): string {
  return `/explore?${writeParameters(query).toString() || 'q='}`;
}

/** The request to the API that gives the same results. */
export function apiAddress(publicUrl: string, query: SearchQuery): string {
  const parameters = writeParameters(query).toString();
  return `${publicUrl}/api/v1/entities${parameters && `?${parameters}`}`;
}

/** In single quotes for a shell: no value can end them, for quotes in an address are percent-encoded. */
export function writeCurl(address: string): string {
  return `curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  '${address.replaceAll("'", '%27')}'`;
}

export function writeTypeScript(address: string): string {
  return `const response = await fetch(
  ${JSON.stringify(address)},
  { headers: { 'X-API-Key': process.env.FIRMAMENT_KEY! } },
);
if (!response.ok) throw new Error(await response.text());
const { data, meta } = await response.json();
console.log(meta.total, data);`;
}
