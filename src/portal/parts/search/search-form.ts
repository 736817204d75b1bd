import { entityStatuses } from '../../../base/entity-status.ts';
import { MAX_NAME_LENGTH } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import { type Html, html } from '../../../base/html.ts';
import { isicCodes } from '../../../registers/classifications/isic.ts';
import type { Choice, Choices, CountryChoices, FacetName, Facets } from '../../../search/choices.ts';
import { toSearchQuery } from '../../../search/parameters.ts';
import { type SearchQuery, sortOrders } from '../../../search/search.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';
import { SORT_NAMES } from '../../text/search-address.ts';
import { selectField } from '../blocks.ts';
import { listFilters, nameValue } from './filters.ts';

export function searchForm(query: SearchQuery, choices: Choices, counts: Counts): Html {
  const filters = listFilters(query).length;
  const offered = mergedChoices(choices, query.country);
  const filter = (name: FacetName, label: string, all: string, more?: Html | false) => {
    const counted = typeof counts === 'object' ? counts[name] : offered[name];
    const options = listOptions(name, counted, query[name]).map(({ value, entities }) => {
      const text = nameValue(name, value);
      return [value, entities === 0 || counts === 'unknown' ? text : `${text} (${formatCount(entities)})`] as const;
    });
    // Users look up countries, registers and jurisdictions by name.
    if (name === 'country' || name === 'register' || name === 'jurisdiction')
      options.sort(([, a], [, b]) => (a < b ? -1 : 1));
    return html`<div class="field" id="${name}-field" data-live>${selectField(name, label, [['', all], ...options], query[name])}${more}</div>`;
  };
  const day = (name: 'registeredFrom' | 'registeredTo', label: string) => html`<div class="field">
          <label for="${name}">${label}</label>
          <input id="${name}" name="${name}" type="date" value="${query[name]}">
        </div>`;
  const { legalFormCode, elf } = query;
  // The type of activity is offered if the register of this country marks licensed activities, or if the search asks for these.
  const hasLicensed =
    query.activityType === 'licensed' || (query.country !== undefined && offered.activities.licensed.length > 0);
  const pageSizes = [...new Set([10, 25, 50, query.pageSize])]
    .sort((a, b) => a - b)
    .map((size) => [`${size}`, `${size}`] as const);
  return html`<form class="search all" action="/explore" method="get" role="search" data-live-search="/explore/suggest">
    <div class="line">${searchField('Name or number', query.words)}<button>Search</button></div>
    <details class="filters first">
      <summary>Filters<span id="filter-count" data-live>${filters > 0 && ` (${filters})`}</span></summary>
      <div class="grid">
        ${filter('country', 'Country', 'All countries')}
        ${filter('status', 'Status', 'All statuses')}
        ${filter('legalFormClass', 'Kind of legal form', 'All kinds')}
        ${filter('isic', 'Industry (ISIC)', 'All industries')}
      </div>
      <details class="filters"${(query.q !== '' || listFilters(query).some(({ isRare }) => isRare)) && html` open`}>
      <summary>More filters</summary>
      <div class="grid">
        ${filter('register', 'Register', 'All registers')}
        ${filter('jurisdiction', 'Jurisdiction', 'All jurisdictions')}
        ${filter(
          'legalForm',
          'Legal form',
          'All legal forms',
          html`${legalFormCode !== undefined && html`<input type="hidden" name="legalFormCode" value="${legalFormCode}">`}${
            elf !== undefined && html`<input type="hidden" name="elf" value="${elf}">`
          }`,
        )}
        <div class="field">
          <label for="activity">Activity</label>
          <input id="activity" name="activity" value="${query.activity}" list="activities" autocomplete="off"
            placeholder="Name or code" dir="auto">
          <datalist id="activities" data-live>${activityOptions(choices, query).map(({ value, entities }) => html`<option value="${value}">${formatAmount(entities, 'company', 'companies')}</option>`)}</datalist>
        </div>
        <div class="field">
          <label for="fragment">Exact fragment</label>
          <input id="fragment" name="q" value="${query.q}" maxlength="${MAX_NAME_LENGTH}" autocomplete="off" spellcheck="false" dir="auto"
            placeholder="Part of a name, as written">
        </div>
        <div class="field" id="activity-type" data-live>${hasLicensed && selectField('activityType', 'Activity type', ACTIVITY_TYPES, query.activityType)}</div>
        ${day('registeredFrom', 'Registered from')}
        ${day('registeredTo', 'Registered until')}
        <div class="field">${selectField('sort', 'Sort by', sortOptions, query.sort === toSearchQuery({ words: query.words }).sort ? '' : query.sort)}</div>
        <div class="field">${selectField('pageSize', 'Results per page', pageSizes, String(query.pageSize))}</div>
      </div>
      </details>
    </details>
  </form>`;
}

/** The first option stands for the default order: by relevance, or by name without words. */
const sortOptions = [
  ['', SORT_NAMES.relevance],
  ...sortOrders.filter((order) => order !== 'relevance').map((order) => [order, SORT_NAMES[order]] as const),
] as const;

/** Shown only if a register has licensed activities; otherwise this choice would have no effect. */
const ACTIVITY_TYPES = [
  ['unlicensed', 'Unlicensed'],
  ['licensed', 'Licensed'],
] as const;

export function searchField(label: string, words: string): Html {
  return html`<div class="field wide">
    <label for="q">${label}</label>
    <input id="q" name="words" type="search" value="${words}" maxlength="${MAX_NAME_LENGTH}" autocomplete="off" spellcheck="false"
      dir="auto" aria-keyshortcuts="/" placeholder="Name or number">
  </div>`;
}

/** The maximum number of options, to bound the size of the page. Users can still type rarer values. */
const MAX_OPTIONS = 600;
const MAX_ACTIVITIES = 200;

/**
 * The source of the counts beside the values: all companies before a search (`all`), the results of a search, or `unknown` if there are
 * too many results to count.
 */
export type Counts = Facets | 'all' | 'unknown';

/** The values of these filters have the order of the documentation and of the classification, which has its sections and divisions here. */
const ORDERED: Partial<Record<FacetName, readonly string[]>> = {
  status: entityStatuses,
  isic: isicCodes.filter((code) => code.length <= 2),
};

/** The values of a filter. Includes the selected value even if no company has it, so that the form shows the current search. */
function listOptions(name: FacetName, counted: readonly Choice[], selected: string | undefined): readonly Choice[] {
  const counts = new Map(counted.map(({ value, entities }) => [value, entities]));
  const offered = ORDERED[name]?.filter((value) => name === 'status' || counts.has(value)) ?? [...counts.keys()];
  const values = offered.slice(0, MAX_OPTIONS);
  if (selected !== undefined && !values.includes(selected)) values.push(selected);
  return values.map((value) => ({ value, entities: counts.get(value) ?? 0 }));
}

/** The options of the field for an activity: activities that match the typed text, otherwise the most frequent activities. */
function activityOptions(choices: Choices, query: SearchQuery): readonly Choice[] {
  const matching = suggestActivities(choices, query, MAX_ACTIVITIES);
  if (matching.length > 0) return matching;
  const all = mergedChoices(choices, query.country).activities[query.activityType];
  // A code alone means little to a user, and can still be typed.
  const labels = all.filter(({ value }) => !IS_CODE.test(value));
  return (labels.length > 0 ? labels : all).slice(0, MAX_ACTIVITIES);
}

/** Activities whose name contains the typed text or whose code starts with this text. */
export function suggestActivities(choices: Choices, query: SearchQuery, max: number): readonly Choice[] {
  const { country, activity, activityType } = query;
  if (activity === undefined) return [];
  const typed = fold(activity);
  const matches = (value: string) => (IS_CODE.test(value) ? value.startsWith(typed) : value.includes(typed));
  const known = mergedChoices(choices, country).activities[activityType];
  return known.filter(({ value }) => matches(fold(value))).slice(0, max);
}

type Merged = Facets & Pick<CountryChoices, 'activities'>;

/** Merging thousands of values per keystroke would be slow, so the merged choices of all countries are cached as long as the choices. */
const cache = new WeakMap<Choices, Merged>();

/** The choices of one country, or of all countries. The countries and industries to choose from are always all. */
function mergedChoices(choices: Choices, country: string | undefined): Merged {
  const known = country === undefined ? cache.get(choices) : undefined;
  if (known !== undefined) return known;
  const found = choices.countries.filter(({ code }) => country === undefined || code === country);
  const mergeAll = (read: (country: CountryChoices) => readonly Choice[]) => merge(found.map(read));
  const merged = {
    country: choices.countries.map(({ code, entities }) => ({ value: code, entities })),
    isic: Array.from(choices.isic.codes, ([value, entities]) => ({ value, entities })),
    register: mergeAll(({ registers }) => registers),
    jurisdiction: mergeAll(({ jurisdictions }) => jurisdictions),
    status: mergeAll(({ statuses }) => statuses),
    legalForm: mergeAll(({ legalForms }) => legalForms),
    legalFormClass: mergeAll(({ legalFormClasses }) => legalFormClasses),
    activities: {
      unlicensed: mergeAll(({ activities }) => activities.unlicensed),
      licensed: mergeAll(({ activities }) => activities.licensed),
    },
  };
  if (country === undefined) cache.set(choices, merged);
  return merged;
}

const IS_CODE = /^[\d.\s-]+[a-z]?$/i;

function merge(lists: readonly (readonly Choice[])[]): readonly Choice[] {
  if (lists.length === 1) return lists[0] ?? [];
  const sums = new Map<string, number>();
  for (const { value, entities } of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + entities);
  return [...sums].map(([value, entities]) => ({ value, entities })).sort((a, b) => b.entities - a.entities);
}
