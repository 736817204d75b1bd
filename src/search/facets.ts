import { type Choice, sortChoices } from './choices.ts';
import type { SearchQuery } from './search.ts';

/** The filters whose values are counted in the results of a query, by the parameter of a search and the field of a result. */
export const facetFields = {
  country: 'countryCode',
  status: 'status',
  register: 'register',
  legalForm: 'legalForm',
} as const;
export type FacetName = keyof typeof facetFields;

/** The most frequent values come first. */
export type Facets = Readonly<Record<FacetName, readonly Choice[]>>;

/** Counts the values of these fields in all results of a query. Undefined if that takes too long. */
export type CountValues = (query: SearchQuery, names: readonly FacetName[]) => Promise<Partial<Facets> | undefined>;

/** A filter of the query itself would leave one value of its field, so this field is counted without it. */
export async function countFacets(query: SearchQuery, count: CountValues): Promise<Facets | undefined> {
  const names = Object.keys(facetFields) as FacetName[];
  const open = names.filter((name) => query[name] === undefined);
  const facets: Partial<Record<FacetName, readonly Choice[]>> = {};
  for (const [of, counted] of [
    [query, open] as const,
    ...names.filter((name) => !open.includes(name)).map((name) => [{ ...query, [name]: undefined }, [name]] as const),
  ]) {
    const values = counted.length === 0 ? {} : await count(of, counted);
    if (values === undefined) return undefined;
    Object.assign(facets, values);
  }
  return facets as Facets;
}

/** The choices of a field from its values and their counts. */
export function toChoices(counts: Iterable<readonly [value: string | null, entities: number]>): Choice[] {
  const known = [...counts].flatMap(([value, entities]) => (value === null ? [] : { value, entities }));
  return sortChoices(known);
}
