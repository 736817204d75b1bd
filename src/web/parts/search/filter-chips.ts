import { nameRegister } from '../../../registry/register-names.ts';
import { toSearchQuery } from '../../../search/parameters.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate } from '../../text/formatting.ts';
import { nameIndustry } from '../../text/industry.ts';
import { exploreAddress } from '../../text/search-address.ts';

/** A filter of a search, and the search without it. */
export interface Filter {
  readonly label: string;
  readonly value: string;
  readonly without: SearchQuery;
}

/** The filters that a search has, in the order of the form. The type of activity alone excludes nothing. */
export function listFilters(query: SearchQuery): Filter[] {
  const without = { ...query, page: 1 };
  const { country, status, register, legalForm, legalFormCode, activity, activityType, registeredFrom, registeredTo } =
    query;
  const { isic } = query;
  const filters: (Filter | undefined)[] = [
    describe('Country', country && nameCountry(country), { ...without, country: undefined }),
    describe('Status', status?.replaceAll('_', ' '), { ...without, status: undefined }),
    describe('Register', register && nameRegister(register), { ...without, register: undefined }),
    describe('Legal form', legalForm, { ...without, legalForm: undefined }),
    describe('Legal form code', legalFormCode, { ...without, legalFormCode: undefined }),
    describe('ELF code', query.elf, { ...without, elf: undefined }),
    describe('Kind of legal form', query.legalFormClass?.replaceAll('_', ' ').replaceAll(',', ', '), {
      ...without,
      legalFormClass: undefined,
    }),
    describe(activityType === 'licensed' ? 'Licensed activity' : 'Activity', activity, {
      ...without,
      activity: undefined,
      activityType: 'unlicensed',
    }),
    describe('Industry', isic?.split(',').map(nameIndustry).join(', '), { ...without, isic: undefined }),
    describe('Registered from', registeredFrom && formatDate(registeredFrom), {
      ...without,
      registeredFrom: undefined,
    }),
    describe('Registered until', registeredTo && formatDate(registeredTo), { ...without, registeredTo: undefined }),
  ];
  return filters.filter((filter) => filter !== undefined);
}

function describe(label: string, value: string | undefined, without: SearchQuery): Filter | undefined {
  return value === undefined ? undefined : { label, value, without };
}

export function countFilters(query: SearchQuery): number {
  return listFilters(query).length;
}

/** The search text alone, in the same order. */
export function withoutFilters({ q, sort, pageSize }: SearchQuery): SearchQuery {
  return toSearchQuery({ q, sort, pageSize });
}

/** The filters as links that remove them. Empty if there are none. */
export function filterChips(query: SearchQuery): Html | false {
  const filters = listFilters(query);
  if (filters.length === 0) return false;
  return html`<ul class="chips" aria-label="Filters of this search">${filters.map(
    ({ label, value, without }) =>
      html`<li><a class="chip" href="${exploreAddress(without)}"><span class="hidden">Remove the filter </span>${label}:
        <strong>${showText(value)}</strong> <span aria-hidden="true">×</span></a></li>`,
  )}<li><a href="${exploreAddress(withoutFilters(query))}">Clear filters</a></li></ul>`;
}
