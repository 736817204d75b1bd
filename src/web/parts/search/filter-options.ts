import { entityStatuses } from '../../../core/entity-status.ts';
import type { Choice, Choices, CountryChoices } from '../../../search/choices.ts';
import type { SearchQuery } from '../../../search/search.ts';

/** The values that the filters of the search form offer, for one country or for all. */

/** Bounds the size of the page. Rarer activities can still be typed. */
const MAX_OPTIONS = 600;

export function legalFormChoices(choices: Choices, { country }: SearchQuery): readonly Choice[] {
  return optionsOf(choices, country).legalForms;
}

export function registerChoices(choices: Choices, { country, register }: SearchQuery): readonly Choice[] {
  return withSelected(optionsOf(choices, country).registers, register);
}

/** All statuses, in the order of the documentation. */
export function statusChoices(choices: Choices, { country }: SearchQuery): readonly Choice[] {
  const counted = new Map(optionsOf(choices, country).statuses.map(({ value, entities }) => [value, entities]));
  return entityStatuses.map((value) => ({ value, entities: counted.get(value) ?? 0 }));
}

/** Includes the selected value even if no company has it, so that the form shows the current search. */
function withSelected(offered: readonly Choice[], selected: string | undefined): readonly Choice[] {
  if (selected === undefined || offered.some(({ value }) => value === selected)) return offered;
  return [...offered, { value: selected, entities: 0 }];
}

export function activityOptions(choices: Choices, { country, activityType }: SearchQuery): readonly Choice[] {
  return optionsOf(choices, country).activities[activityType];
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
    activities: {
      unlicensed: preferLabels(merge(found.map(({ activities }) => activities.unlicensed))).slice(0, MAX_OPTIONS),
      licensed: preferLabels(merge(found.map(({ activities }) => activities.licensed))).slice(0, MAX_OPTIONS),
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

const IS_CODE = /^[\d.\s-]+[A-Z]?$/;

function merge(lists: readonly (readonly Choice[])[]): readonly Choice[] {
  if (lists.length === 1) return lists[0] ?? [];
  const sums = new Map<string, number>();
  for (const { value, entities } of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + entities);
  return [...sums].map(([value, entities]) => ({ value, entities })).sort((a, b) => b.entities - a.entities);
}
