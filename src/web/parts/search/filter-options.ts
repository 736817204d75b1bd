import { entityStatuses } from '../../../core/entity-status.ts';
import { fold } from '../../../core/fold.ts';
import type { Choice, Choices, CountryChoices, FacetName, Facets } from '../../../search/choices.ts';
import type { SearchQuery } from '../../../search/search.ts';

/** The values that the filters of the search form offer. */

/** Bounds the size of the page. Rarer values can still be typed. */
const MAX_OPTIONS = 600;
const MAX_ACTIVITIES = 200;

/**
 * Where the counts beside the values come from: all companies before a search (`all`), the results of a search, or nowhere if there are
 * too many results to count.
 */
export type Counts = Facets | 'all' | 'unknown';

/** The filters that are a list of values in a form. */
export type ListedName = Exclude<FacetName, 'isic'>;

/** The values of a filter. Includes the selected one even if no company has it, so that the form shows the current search. */
export function listOptions(choices: Choices, query: SearchQuery, counts: Counts, name: ListedName): readonly Choice[] {
  const selected = query[name];
  const offered = listOffered(choices, query, counts, name);
  if (selected === undefined || offered.some(({ value }) => value === selected)) return offered;
  return [...offered, { value: selected, entities: 0 }];
}

function listOffered(choices: Choices, query: SearchQuery, counts: Counts, name: ListedName): readonly Choice[] {
  if (typeof counts === 'object') {
    const values = counts[name].slice(0, MAX_OPTIONS);
    return name === 'status' ? sortStatuses(values) : values;
  }
  const all = listAll(choices, query, name);
  return counts === 'all' ? all : all.map(({ value }) => ({ value, entities: 0 }));
}

function listAll(choices: Choices, { country }: SearchQuery, name: ListedName): readonly Choice[] {
  if (name === 'country') return choices.countries.map(({ code, entities }) => ({ value: code, entities }));
  const { statuses, registers, legalForms, legalFormClasses } = optionsOf(choices, country);
  if (name === 'status') return sortStatuses(statuses);
  if (name === 'legalFormClass') return legalFormClasses;
  return name === 'register' ? registers : legalForms;
}

/** All statuses, in the order of the documentation. */
function sortStatuses(statuses: readonly Choice[]): Choice[] {
  const counted = new Map(statuses.map(({ value, entities }) => [value, entities]));
  return entityStatuses.map((value) => ({ value, entities: counted.get(value) ?? 0 }));
}

/** Whether the register of this country marks licensed activities. */
export function hasLicensed(choices: Choices, { country, activityType }: SearchQuery): boolean {
  if (activityType === 'licensed') return true;
  return country !== undefined && optionsOf(choices, country).activities.licensed.length > 0;
}

/** What the field for an activity offers: what it has could become one of these; otherwise the most frequent ones. */
export function activityOptions(choices: Choices, query: SearchQuery): readonly Choice[] {
  const matching = suggestActivities(choices, query, MAX_ACTIVITIES);
  if (matching.length > 0) return matching;
  return preferLabels(optionsOf(choices, query.country).activities[query.activityType]).slice(0, MAX_ACTIVITIES);
}

/** Activities whose name contains what was typed or whose code starts with it. */
export function suggestActivities(choices: Choices, query: SearchQuery, max: number): readonly Choice[] {
  const { country, activity, activityType } = query;
  if (activity === undefined) return [];
  const typed = fold(activity);
  const known = optionsOf(choices, country).activities[activityType];
  return known.filter(({ value }) => matchesActivity(fold(value), typed)).slice(0, max);
}

function matchesActivity(value: string, typed: string): boolean {
  return IS_CODE.test(value) ? value.startsWith(typed) : value.includes(typed);
}

type Options = Omit<CountryChoices, 'code' | 'entities'>;

/**
 * Merging thousands of values per keystroke would be slow, so the options are kept as long as the choices they come
 * from.
 */
const cache = new WeakMap<Choices, Map<string | undefined, Options>>();

function optionsOf(choices: Choices, country: string | undefined): Options {
  const byCountry = cache.get(choices) ?? new Map<string | undefined, Options>();
  cache.set(choices, byCountry);
  const found = choices.countries.filter(({ code }) => country === undefined || code === country);
  // All countries without data share one entry: a client can name 676 of them.
  const key = found.length === 0 ? '' : country;
  const options = byCountry.get(key) ?? {
    registers: merge(found.map(({ registers }) => registers)),
    statuses: merge(found.map(({ statuses }) => statuses)),
    legalForms: merge(found.map(({ legalForms }) => legalForms)).slice(0, MAX_OPTIONS),
    elf: [],
    legalFormClasses: merge(found.map(({ legalFormClasses }) => legalFormClasses)),
    activities: {
      unlicensed: merge(found.map(({ activities }) => activities.unlicensed)),
      licensed: merge(found.map(({ activities }) => activities.licensed)),
    },
  };
  byCountry.set(key, options);
  return options;
}

/**
 * Leaves out bare codes if the register also has labels: a code alone means little to a user, and can still be typed.
 */
function preferLabels(activities: readonly Choice[]): readonly Choice[] {
  const labels = activities.filter(({ value }) => !IS_CODE.test(value));
  return labels.length > 0 ? labels : activities;
}

const IS_CODE = /^[\d.\s-]+[a-z]?$/i;

function merge(lists: readonly (readonly Choice[])[]): readonly Choice[] {
  if (lists.length === 1) return lists[0] ?? [];
  const sums = new Map<string, number>();
  for (const { value, entities } of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + entities);
  return [...sums].map(([value, entities]) => ({ value, entities })).sort((a, b) => b.entities - a.entities);
}
