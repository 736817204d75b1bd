import { type FacetName, type Facets, facetFields, toChoices } from '../../facets.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Hits } from './hits.ts';
import { readInSteps, type Steps } from './steps.ts';

/** Counts the values of some filters in the hits of all indexes, which must be kept ones. */
export function* countValues(
  indexes: readonly SearchIndex[],
  hits: readonly Hits[],
  names: readonly FacetName[],
): Steps<Partial<Facets>> {
  const totals = names.map((name) => [name, new Map<string | null, number>()] as const);
  for (const [source, { arrays, texts }] of indexes.entries()) {
    const columns = totals.map(([name, total]) => {
      const field = facetFields[name];
      const values = texts.columns[field];
      return { total, values, numbers: arrays[`summary.${field}`], counts: new Uint32Array(values.length) };
    });
    yield* readInSteps(hits[source] as Hits, (docs) => {
      for (const { numbers, counts } of columns) countNumbers(docs, numbers, counts);
    });
    for (const { total, values, counts } of columns) {
      for (const [number, value] of values.entries()) {
        const count = counts[number] as number;
        if (count > 0) total.set(value, count + (total.get(value) ?? 0));
      }
    }
  }
  return Object.fromEntries(totals.map(([name, total]) => [name, toChoices(total)]));
}

function countNumbers(docs: Uint32Array, numbers: ArrayLike<number>, counts: Uint32Array): void {
  for (let at = 0; at < docs.length; at++) {
    const number = numbers[docs[at] as number] as number;
    counts[number] = (counts[number] as number) + 1;
  }
}
