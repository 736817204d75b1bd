import { plainText, showText } from '../../../base/display-text.ts';
import { type Html, html } from '../../../base/html.ts';
import { describeUnknownCountry } from '../../../registry/country-names.ts';
import { nameRegister } from '../../../registry/register-names.ts';
import type { Choice, FacetName, Facets } from '../../../search/choices.ts';
import { toSearchQuery } from '../../../search/parameters.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { formatCount, formatDate, nameCountry, nameIndustry, nameJurisdiction } from '../../text/formatting.ts';
import { exploreAddress } from '../../text/search-address.ts';

export interface Filter {
  readonly label: string;
  readonly value: string;
  readonly without: SearchQuery;
  /** Whether the filter is below *More filters*. */
  readonly isRare: boolean;
}

const toWords = (value: string) => value.replaceAll('_', ' ');

/** The filters in the order of the form: the label of a parameter, and how to write a value. */
const FILTERS: Partial<Record<keyof SearchQuery, readonly [label: string, show?: (value: string) => string]>> = {
  // A code that is no country keeps its form: some systems would show a name for it.
  country: ['Country', (code) => (describeUnknownCountry(code) === undefined ? nameCountry(code) : code)],
  status: ['Status', toWords],
  register: ['Register', nameRegister],
  jurisdiction: ['Jurisdiction', nameJurisdiction],
  legalForm: ['Legal form'],
  legalFormCode: ['Legal form code'],
  elf: ['ELF code'],
  legalFormClass: ['Kind of legal form', (classes) => toWords(classes).replaceAll(',', ', ')],
  activity: ['Activity'],
  isic: ['Industry', (codes) => codes.split(',').map(nameIndustry).join(', ')],
  registeredFrom: ['Registered from', formatDate],
  registeredTo: ['Registered until', formatDate],
};

const COMMON: readonly (keyof SearchQuery)[] = ['country', 'status', 'legalFormClass', 'isic'];

/** The filters that a search has. The type of activity alone excludes nothing. */
export function listFilters(query: SearchQuery): Filter[] {
  const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[];
  return names.flatMap((name) => {
    const value = query[name];
    const [label = name, show = String] = FILTERS[name] ?? [];
    if (value === undefined) return [];
    const without = { ...query, page: 1, [name]: undefined };
    const isRare = !COMMON.includes(name);
    if (name !== 'activity') return { label, value: show(String(value)), without, isRare };
    const shown = query.activityType === 'licensed' ? 'Licensed activity' : label;
    return { label: shown, value: String(value), without: { ...without, activityType: 'unlicensed' }, isRare };
  });
}

/** Describes a search in words, such as `“bank” · United Kingdom · active`. */
export function describeSearch(query: SearchQuery): string {
  const text = [query.words, query.q].map((one) => one.trim()).filter((one) => one !== '');
  return (
    [...text.map((one) => `“${one}”`), ...listFilters(query).map(({ value }) => value)].join(' · ') || 'All companies'
  );
}

/** The search with its text and order, but without filters. */
export function withoutFilters({ q, words, sort, pageSize }: SearchQuery): SearchQuery {
  return toSearchQuery({ q, words, sort, pageSize });
}

/** The filters of a search as links, each of which removes its filter. False without filters. */
export function filterChips(query: SearchQuery): Html | false {
  const filters = listFilters(query);
  if (filters.length === 0) return false;
  return html`<ul class="chips" aria-label="Filters of this search">${filters.map(
    ({ label, value, without }) =>
      html`<li><a class="chip" href="${exploreAddress(without)}"><span class="hidden">Remove the filter </span>${label}:
        <strong>${showText(value)}</strong> <span aria-hidden="true">×</span></a></li>`,
  )}<li><a href="${exploreAddress(withoutFilters(query))}">Clear filters</a></li></ul>`;
}

/** The filters whose values are counted, in the order of the page. */
const FACETS = ['country', 'status', 'legalFormClass', 'isic', 'legalForm', 'register', 'jurisdiction'] as const;

/** The number of values per filter. The form has all values. */
const MAX_VALUES = 6;

export function nameValue(name: FacetName, value: string): string {
  return plainText((FILTERS[name]?.[1] ?? String)(value));
}

/** The most frequent values in the results, each as a link to the results with this value. False if no filter would narrow the results. */
export function facetLinks(facets: Facets, query: SearchQuery): Html | false {
  // Most countries have one register, so registers are useful besides countries only if their numbers differ.
  const hasMore = facets.register.length !== facets.country.length;
  const groups = FACETS.filter(
    (name) => query[name] === undefined && listValues(name, facets).length > 1 && (name !== 'register' || hasMore),
  );
  if (groups.length === 0) return false;
  return html`<nav class="facets" aria-label="Narrow the results">${groups.map((name) => {
    const values = listValues(name, facets);
    return html`<h2>${FILTERS[name]?.[0]}</h2>
      <ul>${values.slice(0, MAX_VALUES).map((choice) => link(name, choice, query))}
      ${values.length > MAX_VALUES && html`<li class="hint">and ${formatCount(values.length - MAX_VALUES)} more in the filters</li>`}</ul>`;
  })}</nav>`;
}

/** The values of a filter. For industries, only the divisions: the form also has the sections. */
function listValues(name: FacetName, facets: Facets): readonly Choice[] {
  return name === 'isic' ? (facets.isic ?? []).filter(({ value }) => value.length === 2) : facets[name];
}

function link(name: FacetName, { value, entities }: Choice, query: SearchQuery): Html {
  return html`<li><a href="${exploreAddress({ ...query, [name]: value, page: 1 })}">${showText(nameValue(name, value))}</a>
    <span class="count">${formatCount(entities)}</span></li>`;
}
