import type { Choice, Choices, CountryChoices } from '../../search/choices.ts';
import type { SearchQuery } from '../../search/search.ts';

/** What the filters offer on a page: of the chosen country, or of all together. */

/** More would make the page heavy; whoever looks for a rarer one types it. */
const MOST = 600;

/** The chosen one is among them even where it does not occur, so that the form shows what was asked. */
export function legalFormChoices(choices: Choices, { country, legalForm }: SearchQuery): readonly Choice[] {
  const offered = offer(choices, country).legalForms;
  if (legalForm === undefined || offered.some(({ value }) => value === legalForm)) return offered;
  return [...offered, { value: legalForm, entities: 0 }];
}

export function activityOptions(choices: Choices, { country, activityType }: SearchQuery): readonly Choice[] {
  return offer(choices, country).activities[activityType];
}

type Offer = Pick<CountryChoices, 'legalForms' | 'activities'>;

/** Worked out once for each country and state of the data, not for every letter that is typed. */
const offers = new WeakMap<Choices, Map<string | undefined, Offer>>();

function offer(choices: Choices, country: string | undefined): Offer {
  const known = offers.get(choices) ?? new Map<string | undefined, Offer>();
  offers.set(choices, known);
  const found = choices.countries.filter(({ code }) => country === undefined || code === country);
  const key = found.length === 0 ? '' : country;
  const made = known.get(key) ?? {
    legalForms: unite(found.map(({ legalForms }) => legalForms)).slice(0, MOST),
    activities: {
      unlicensed: inWords(unite(found.map(({ activities }) => activities.unlicensed))).slice(0, MOST),
      licensed: inWords(unite(found.map(({ activities }) => activities.licensed))).slice(0, MOST),
    },
  };
  known.set(key, made);
  return made;
}

/** By their words where the register has words: a bare code says nothing to who chooses, and can be typed all the same. */
function inWords(activities: readonly Choice[]): readonly Choice[] {
  const worded = activities.filter(({ value }) => !IS_CODE.test(value));
  return worded.length > 0 ? worded : activities;
}

const IS_CODE = /^[\d.\s-]+[A-Z]?$/;

function unite(lists: readonly (readonly Choice[])[]): readonly Choice[] {
  if (lists.length === 1) return lists[0] ?? [];
  const sums = new Map<string, number>();
  for (const { value, entities } of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + entities);
  return [...sums].map(([value, entities]) => ({ value, entities })).sort((a, b) => b.entities - a.entities);
}
