import { addCount, type Choice, type FacetName, type Facets, facetFields, toChoices } from '../../choices.ts';
import { COMBINATION, GROUP_SHIFT, industries, industriesOf, NEW_SECTION, partOf } from '../encodings.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Narrow } from '../shared-arrays.ts';
import type { FormMeanings } from './form-meanings.ts';
import type { Hits } from './hits.ts';
import { readInSteps, type Steps } from './steps.ts';

interface CountedPart {
  readonly index: SearchIndex;
  readonly forms: FormMeanings;
}

/** Counts the values of some filters in the hits of all indexes. Needs hits from `keep`. Each document has one combination of values. */
export function* countValues(
  parts: readonly CountedPart[],
  hits: readonly Hits[],
  counted: readonly FacetName[],
): Steps<Partial<Facets>> {
  const facets: Partial<Record<FacetName, Choice[]>> = {};
  if (counted.includes('isic')) facets.isic = yield* countIndustries(parts, hits);
  const names = counted.filter((name) => name !== 'isic');
  if (names.length === 0) return facets;
  const totals = names.map(() => new Map<string | null, number>());
  for (const [part, { index, forms }] of parts.entries()) {
    const { combination, combinationParts } = index.arrays;
    const counts = new Uint32Array(combinationParts.length / COMBINATION);
    yield* readInSteps(hits[part] as Hits, (docs) => countNumbers(docs, combination, counts));
    for (const [at, name] of names.entries()) {
      const total = totals[at] as Map<string | null, number>;
      if (name === 'legalFormClass') {
        for (let number = 0; number < counts.length; number++) {
          if (counts[number] !== 0)
            addCount(total, forms.ofCombination(number).legalFormClass, counts[number] as number);
        }
      } else {
        const values = index.texts.columns[facetFields[name]];
        const ofValues = new Uint32Array(values.length);
        const valueAt = partOf(facetFields[name]);
        for (let number = 0; number < counts.length; number++) {
          const value = combinationParts[number * COMBINATION + valueAt] as number;
          ofValues[value] = (ofValues[value] as number) + (counts[number] as number);
        }
        for (const [value, count] of ofValues.entries()) if (count > 0) addCount(total, values.at(value), count);
      }
      yield;
    }
  }
  for (const [at, name] of names.entries()) facets[name] = toChoices(totals[at] as Map<string | null, number>);
  return facets;
}

/** Counts the documents of each value, by the number of the value. */
export function countNumbers(docs: Uint32Array, numbers: Narrow, counts: Uint32Array): void {
  for (let at = 0; at < docs.length; at++) {
    const number = numbers[docs[at] as number] as number;
    counts[number] = (counts[number] as number) + 1;
  }
}

/** Counts the hits of all indexes in each section and division of ISIC. A company with several activities in a section counts once there. */
function* countIndustries(parts: readonly CountedPart[], hits: readonly Hits[]): Steps<Choice[]> {
  const counts = new Uint32Array(industries.length);
  for (const [part, { index }] of parts.entries()) yield* addHits(index, hits[part] as Hits, counts);
  return toChoices(industries.flatMap((code, at) => (counts[at] ? [[code, counts[at]] as const] : [])));
}

function* addHits({ arrays, texts }: SearchIndex, hits: Hits, counts: Uint32Array): Steps<void> {
  const { otherIndustryStarts: starts, otherIndustryDocs: lastBytes, otherIndustries: others } = arrays;
  const mains = arrays['summary.isic'];
  const add = (industry: number, count: number) => {
    counts[industry] = (counts[industry] as number) + count;
  };
  const ofMain = new Uint32Array(texts.columns.isic.length);
  const ofOthers = new Uint32Array(2 * NEW_SECTION);
  yield* readInSteps(hits, (docs) => {
    let [group, at, end] = [-1, 0, 0];
    for (let hit = 0; hit < docs.length; hit++) {
      const doc = docs[hit] as number;
      const main = mains[doc] as number;
      ofMain[main] = (ofMain[main] as number) + 1;
      if (doc >>> GROUP_SHIFT !== group) {
        group = doc >>> GROUP_SHIFT;
        at = starts[group] as number;
        end = starts[group + 1] as number;
      }
      const lastByte = doc & 0xff;
      for (; at < end && (lastBytes[at] as number) <= lastByte; at++) {
        if (lastBytes[at] !== lastByte) continue;
        const other = others[at] as number;
        ofOthers[other] = (ofOthers[other] as number) + 1;
      }
    }
  });
  for (const [number, count] of ofMain.entries()) {
    const code = count === 0 ? null : texts.columns.isic.at(number);
    if (code !== null) for (const industry of industriesOf(code)) add(industry, count);
  }
  for (const [industry, code] of industries.entries()) {
    const withSection = ofOthers[industry | NEW_SECTION] as number;
    add(industry, (ofOthers[industry] as number) + withSection);
    if (withSection > 0) add(industriesOf(code)[0] as number, withSection);
  }
}
