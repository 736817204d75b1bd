import { type Choice, sortChoices } from './choices.ts';

/** The filters whose values are counted in the results of a query, by the parameter of a search and the field of a result. */
export const facetFields = {
  country: 'countryCode',
  status: 'status',
  register: 'register',
  legalForm: 'legalForm',
  legalFormClass: 'legalFormClass',
  isic: 'isic',
} as const;
export type FacetName = keyof typeof facetFields;

/** The most frequent values come first. Industries are sections and divisions of ISIC; missing if there are too many results. */
export type Facets = Readonly<Record<Exclude<FacetName, 'isic'>, readonly Choice[]>> & {
  readonly isic?: readonly Choice[];
};

/** The choices of a field from its values and their counts. */
export function toChoices(counts: Iterable<readonly [value: string | null, entities: number]>): Choice[] {
  const known = [...counts].flatMap(([value, entities]) => (value === null ? [] : { value, entities }));
  return sortChoices(known);
}
