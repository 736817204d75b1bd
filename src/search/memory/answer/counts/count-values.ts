import type { Choice } from '../../../choices.ts';
import { type FacetName, type Facets, facetFields, toChoices } from '../../../facets.ts';
import type { SearchIndex } from '../../search-index.ts';
import { createSetReader } from '../../sets.ts';
import type { Narrow } from '../../shared-arrays.ts';
import type { FormMeanings } from '../form-meanings.ts';
import type { Hits } from '../hits.ts';
import { readInSteps, type Steps } from '../steps.ts';
import { countIndustries } from './count-industries.ts';

/** The stored sets of the values of each filter. */
const SETS = {
  country: 'countrySet',
  status: 'statusSet',
  register: 'registerSet',
  legalForm: 'legalFormSet',
} as const;

/**
 * Counts the values of some filters in the hits of all indexes, which must be kept ones. Many hits are a bitmap, and each value has a
 * stored set: the documents in both are counted 32 at a time. Few hits are looked at one by one.
 */
export function* countValues(
  parts: readonly CountedPart[],
  hits: readonly Hits[],
  counted: readonly FacetName[],
): Steps<Partial<Facets>> {
  const names = counted.filter((name) => name !== 'legalFormClass' && name !== 'isic');
  const classes = counted.includes('legalFormClass') ? { legalFormClass: yield* countClasses(parts, hits) } : {};
  const industries = counted.includes('isic') ? { isic: yield* countIndustries(parts, hits) } : {};
  const totals = names.map((name) => [name, new Map<string | null, number>()] as const);
  for (const [part, { index }] of parts.entries()) {
    const of = hits[part] as Hits;
    const counts = names.map((name) => new Uint32Array(index.texts.columns[facetFields[name]].length));
    yield* of.countIn === undefined ? countDocs(index, of, names, counts) : countSets(index, of, names, counts);
    for (const [at, [name, total]] of totals.entries()) {
      const ofName = counts[at] as Uint32Array;
      const values = index.texts.columns[facetFields[name]];
      for (const [number, count] of ofName.entries()) {
        const value = values.at(number);
        if (count > 0) total.set(value, count + (total.get(value) ?? 0));
      }
    }
  }
  return { ...Object.fromEntries(totals.map(([name, total]) => [name, toChoices(total)])), ...classes, ...industries };
}

export interface CountedPart {
  readonly index: SearchIndex;
  readonly forms: FormMeanings;
}

/** Classes have no stored sets: they follow from the legal form of each document. */
function* countClasses(parts: readonly CountedPart[], hits: readonly Hits[]): Steps<Choice[]> {
  const total = new Map<string | null, number>();
  for (const [part, { forms }] of parts.entries()) {
    const counts: number[] = [];
    yield* readInSteps(hits[part] as Hits, (docs) => {
      for (let at = 0; at < docs.length; at++) {
        const number = forms.numberOf(docs[at] as number);
        counts[number] = (counts[number] ?? 0) + 1;
      }
    });
    for (const [number, { legalFormClass }] of forms.list.entries()) {
      total.set(legalFormClass, (total.get(legalFormClass) ?? 0) + (counts[number] ?? 0));
    }
  }
  return toChoices([...total].filter(([, entities]) => entities > 0));
}

type StoredFacet = Exclude<FacetName, 'legalFormClass' | 'isic'>;

/** Words of bitmaps and documents of lists per step. A set is counted at once. */
const MAX_WORK = 1_024;

type Counts = readonly Uint32Array[];

function* countSets(
  { arrays, entities }: SearchIndex,
  hits: Hits,
  names: readonly StoredFacet[],
  counts: Counts,
): Steps<void> {
  const readSet = createSetReader(arrays, entities);
  let work = 0;
  for (const [at, name] of names.entries()) {
    const ofName = counts[at] as Uint32Array;
    for (let number = 0; number < ofName.length; number++) {
      const set = readSet(arrays[SETS[name]][number] as number);
      ofName[number] = hits.countIn?.(set) as number;
      work += set.list?.length ?? entities / 32;
      if (work < MAX_WORK) continue;
      work = 0;
      yield;
    }
  }
}

function* countDocs({ arrays }: SearchIndex, hits: Hits, names: readonly StoredFacet[], counts: Counts): Steps<void> {
  yield* readInSteps(hits, (docs) => {
    for (const [at, name] of names.entries()) {
      countNumbers(docs, arrays[`summary.${facetFields[name]}`], counts[at] as Uint32Array);
    }
  });
}

/** Counts the documents of each value, by its number. */
export function countNumbers(docs: Uint32Array, numbers: Narrow, counts: Uint32Array): void {
  for (let at = 0; at < docs.length; at++) {
    const number = numbers[docs[at] as number] as number;
    counts[number] = (counts[number] as number) + 1;
  }
}
