import { withParents } from '../../../registers/classifications/isic.ts';
import {
  addCount,
  type Choice,
  ChoiceCounts,
  type Choices,
  countedFields,
  type FacetName,
  type Facets,
  facetFields,
  toChoices,
} from '../../choices.ts';
import { COMBINATION, GROUP_SHIFT, industries, industriesOf, NEW_SECTION, partOf } from '../encodings.ts';
import type { SearchIndex } from '../search-index.ts';
import { createSetReader, type DocSet, has, Marks, takeDocs } from '../sets.ts';
import type { Narrow } from '../shared-arrays.ts';
import type { FormMeanings } from './form-meanings.ts';
import type { Hits, LiveSets } from './hits.ts';
import { readInSteps, STEP, type Steps } from './steps.ts';

/** The base or a segment. */
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

interface LivePart extends CountedPart {
  readonly liveSets: LiveSets;
}

/** Counts the values of the filters in all indexes. Hidden documents are not counted. */
export function* countChoices(parts: readonly LivePart[]): Steps<Choices> {
  const counts = new ChoiceCounts();
  for (const part of parts) {
    yield* countCombinations(part, counts);
    yield* countActivities(part, counts);
    yield* countIsic(part, counts);
  }
  return counts.arrange();
}

function* countCombinations({ index, forms, liveSets }: LivePart, counts: ChoiceCounts): Steps<void> {
  const { combination, combinationParts: parts } = index.arrays;
  const { columns } = index.texts;
  const found = new Uint32Array(parts.length / COMBINATION);
  yield* readInSteps(liveSets.all, (docs) => countNumbers(docs, combination, found));
  for (const [number, entities] of found.entries()) {
    // Each import adds combinations.
    if (number % STEP === 0) yield;
    if (entities === 0) continue;
    const readValue = (name: 'countryCode' | (typeof countedFields)[number]) =>
      columns[name].at(parts[number * COMBINATION + partOf(name)] as number);
    const country = readValue('countryCode') as string;
    for (const field of countedFields) counts.add(country, field, readValue(field), entities);
    counts.addForm(country, readValue('register') ?? '', forms.ofCombination(number), entities);
  }
}

function* countActivities({ index, liveSets: { live } }: LivePart, counts: ChoiceCounts): Steps<void> {
  const { arrays, texts, entities } = index;
  const countries = texts.columns.countryCode;
  const readSet = createSetReader(arrays, entities);
  let counted = 0;
  for (const [activity, set] of arrays.activitySet.entries()) {
    const byCountry = new Uint32Array(countries.length);
    const docs = takeDocs(readSet(set));
    const shown = live === undefined ? docs : docs.filter((doc) => has(live, doc));
    countNumbers(shown, arrays['summary.countryCode'], byCountry);
    for (const [number, count] of byCountry.entries()) {
      if (count > 0) counts.add(countries.at(number) as string, 'activityKey', texts.activities.at(activity), count);
    }
    counted += docs.length;
    if (counted < STEP) continue;
    counted = 0;
    yield;
  }
}

/** Counts the companies of one code after the other, so that a company with several activities in a code counts once. */
function* countIsic({ index, liveSets: { live } }: LivePart, { isic }: ChoiceCounts): Steps<void> {
  const marks = new Marks(index.entities);
  const mark = (sets: readonly DocSet[]): number => {
    marks.clear();
    for (const set of sets) marks.addSet(set);
    if (live !== undefined) marks.retain(live);
    return marks.size;
  };
  const setsOfCodes = listSets(index);
  for (const [code, sets] of setsOfCodes) {
    const count = mark(sets);
    if (count > 0) addCount(isic.codes, code, count);
    yield;
  }
  mark([...setsOfCodes].filter(([code]) => withParents(code).length === 1).flatMap(([, sets]) => sets));
  const { combination, combinationParts: parts } = index.arrays;
  const found = new Uint32Array(parts.length / COMBINATION);
  countNumbers(takeDocs(marks.asSet()), combination, found);
  for (const [number, count] of found.entries()) {
    const register = index.texts.columns.register.at(parts[number * COMBINATION + REGISTER] as number);
    if (count > 0) addCount(isic.registers, register as string, count);
  }
}

const REGISTER = partOf('register');

/** By code: the stored sets whose documents have an activity in this code. */
function listSets({ arrays, texts, entities }: SearchIndex): Map<string, DocSet[]> {
  const readSet = createSetReader(arrays, entities);
  const sets = new Map<string, DocSet[]>();
  const addSet = (isic: number, number: number) => {
    const code = texts.columns.isic.at(isic);
    const set = code ? readSet(number) : undefined;
    if (!code || set === undefined || set.size === 0) return;
    for (const part of withParents(code)) sets.set(part, [...(sets.get(part) ?? []), set]);
  };
  for (const [activity, isic] of arrays.activityIsic.entries()) addSet(isic, arrays.activitySet[activity] as number);
  for (const [isic, number] of arrays.isicSet.entries()) addSet(isic, number);
  return sets;
}
