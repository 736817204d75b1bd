import type { Choice } from './choices.ts';
import { type FacetName, type Facets, facetFields } from './facets.ts';
import type { SearchQuery } from './search.ts';

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
