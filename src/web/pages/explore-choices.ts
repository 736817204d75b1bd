import type { Choice, Choices } from '../../search/choices.ts';
import type { SearchQuery } from '../../search/search.ts';

/** What the filters offer on a page: of the chosen country, or of all together. */

/** More would make the page heavy; whoever looks for a rarer one types it. */
const MOST = 600;

/** The chosen one is among them even where it does not occur, so that the form shows what was asked. */
export function legalFormChoices(choices: Choices, { country, legalForm }: SearchQuery): readonly Choice[] {
  const offered = inCountry(choices, country, ({ legalForms }) => legalForms);
  if (legalForm === undefined || offered.some(({ value }) => value === legalForm)) return offered;
  return [...offered, { value: legalForm, entities: 0 }];
}

/** By their words where the register has words: a bare code says nothing to who chooses, and can be typed all the same. */
export function activityOptions(choices: Choices, { country, activityType }: SearchQuery): readonly Choice[] {
  const offered = inCountry(choices, country, ({ activities }) => activities[activityType]);
  const inWords = offered.filter(({ value }) => !IS_CODE.test(value));
  return (inWords.length > 0 ? inWords : offered).slice(0, MOST);
}

const IS_CODE = /^[\d.\s-]+[A-Z]?$/;

function inCountry(
  { countries }: Choices,
  country: string | undefined,
  pick: (country: Choices['countries'][0]) => readonly Choice[],
): readonly Choice[] {
  if (country !== undefined)
    return countries
      .filter(({ code }) => code === country)
      .flatMap((found) => pick(found))
      .slice(0, MOST);
  const sums = new Map<string, number>();
  for (const { value, entities } of countries.flatMap((each) => pick(each))) {
    sums.set(value, (sums.get(value) ?? 0) + entities);
  }
  return [...sums]
    .map(([value, entities]) => ({ value, entities }))
    .sort((a, b) => b.entities - a.entities)
    .slice(0, MOST);
}
