import { DEFAULT_PAGE_SIZE } from '../../search/parameters.ts';
import type { SearchQuery, SortOrder } from '../../search/search.ts';
import type { Html } from '../html.ts';
import { highlight } from './highlight.ts';

export const SORT_NAMES: Readonly<Record<SortOrder, string>> = {
  name: 'Name',
  '-registeredAt': 'Newest registration',
  '-updatedAt': 'Last change',
};

/** URL parameters of a query. Defaults are left out, so that addresses stay short. */
export function toParameters(query: SearchQuery): URLSearchParams {
  const { q, country, register, status, legalForm, legalFormCode, activity, activityType } = query;
  const { isic, registeredFrom, registeredTo, sort, page, pageSize } = query;
  const parameters = new URLSearchParams();
  if (q !== '') parameters.set('q', q);
  if (country !== undefined) parameters.set('country', country);
  if (register !== undefined) parameters.set('register', register);
  if (status !== undefined) parameters.set('status', status);
  if (legalForm !== undefined) parameters.set('legalForm', legalForm);
  if (legalFormCode !== undefined) parameters.set('legalFormCode', legalFormCode);
  if (query.elf !== undefined) parameters.set('elf', query.elf);
  if (query.legalFormClass !== undefined) parameters.set('legalFormClass', query.legalFormClass);
  if (activity !== undefined) parameters.set('activity', activity);
  if (activityType !== 'unlicensed') parameters.set('activityType', activityType);
  if (isic !== undefined) parameters.set('isic', isic);
  if (registeredFrom !== undefined) parameters.set('registeredFrom', registeredFrom);
  if (registeredTo !== undefined) parameters.set('registeredTo', registeredTo);
  if (sort !== 'name') parameters.set('sort', sort);
  if (page !== 1) parameters.set('page', String(page));
  if (pageSize !== DEFAULT_PAGE_SIZE) parameters.set('pageSize', String(pageSize));
  return parameters;
}

/** The address of a result page. A search without filters keeps an empty `q`: without any parameter, no search runs. */
export function exploreAddress(query: SearchQuery): string {
  return `/explore?${toParameters(query).toString() || 'q='}`;
}

/** The API request that returns the same results. */
export function apiAddress(publicUrl: string, query: SearchQuery): string {
  const parameters = toParameters(query).toString();
  return `${publicUrl}/api/v1/entities${parameters && `?${parameters}`}`;
}

/**
 * Single quotes keep the shell from interpreting the address. Quotes inside it are percent-encoded and cannot end them.
 */
export function formatCurl(address: string): Html {
  return highlight(`curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  '${address.replaceAll("'", '%27')}'`, 'sh');
}

export function formatTypeScript(address: string): Html {
  const code = `const url = ${JSON.stringify(address)};
const key = process.env.FIRMAMENT_KEY ?? '';
const response = await fetch(url, {
  headers: { 'X-API-Key': key },
});
if (!response.ok) throw new Error(await response.text());
const { data, meta } = await response.json();
console.log(meta.total, data);`;
  return highlight(code, 'ts');
}
