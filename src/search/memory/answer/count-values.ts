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
import { COMBINATION, industries, partOf } from '../encodings.ts';
import { has, Marks, takeDocs } from '../sets.ts';
import type { Narrow } from '../shared-arrays.ts';
import type { Hits } from './hits.ts';
import type { IndexPart } from './index-part.ts';
import { readInSteps, STEP, type Steps } from './steps.ts';

/** Counts the values of some filters in the hits of all indexes. Needs hits from `keep`. Each document has one combination of values. */
export function* countValues(
  parts: readonly IndexPart[],
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
        for (const [of, count] of counts.entries()) {
          if (count > 0) addCount(total, forms.ofCombination(of).legalFormClass, count);
        }
      } else {
        const values = index.texts.columns[facetFields[name]];
        const ofValues = new Uint32Array(values.length);
        for (let [of, place] = [0, partOf(facetFields[name])]; of < counts.length; of++, place += COMBINATION) {
          const value = combinationParts[place] as number;
          ofValues[value] = (ofValues[value] as number) + (counts[of] as number);
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
function* countIndustries(parts: readonly IndexPart[], hits: readonly Hits[]): Steps<Choice[]> {
  const counts = new Uint32Array(industries.length);
  for (const [part, { index }] of parts.entries()) {
    const { industry, industryStarts: starts, industryLists: lists } = index.arrays;
    const found = new Uint32Array(starts.length - 1);
    yield* readInSteps(hits[part] as Hits, (docs) => countNumbers(docs, industry, found));
    for (const [of, count] of found.entries()) {
      for (let at = starts[of] as number; at < (starts[of + 1] as number); at++) {
        const number = lists[at] as number;
        counts[number] = (counts[number] as number) + count;
      }
    }
  }
  return toChoices(industries.flatMap((code, at) => (counts[at] ? [[code, counts[at]] as const] : [])));
}

/** Counts the values of the filters in all indexes. Hidden documents are not counted. */
export function* countChoices(parts: readonly IndexPart[]): Steps<Choices> {
  const counts = new ChoiceCounts();
  for (const part of parts) {
    yield* countCombinations(part, counts);
    yield* countActivities(part, counts);
    yield* countIsic(part, counts);
  }
  return counts.arrange();
}

function* countCombinations({ index, forms, liveSets }: IndexPart, counts: ChoiceCounts): Steps<void> {
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

function* countActivities({ index, sets, liveSets: { live } }: IndexPart, counts: ChoiceCounts): Steps<void> {
  const { arrays, texts } = index;
  const countries = texts.columns.countryCode;
  let counted = 0;
  for (const [activity, set] of arrays.activitySet.entries()) {
    const byCountry = new Uint32Array(countries.length);
    const docs = takeDocs(sets.readSet(set));
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
function* countIsic({ index, sets, liveSets: { live } }: IndexPart, { isic }: ChoiceCounts): Steps<void> {
  const marks = new Marks(index.entities);
  const mark = (numbers: readonly number[]): number => {
    marks.clear();
    for (const number of numbers) marks.addSet(sets.readSet(number));
    if (live !== undefined) marks.retain(live);
    return marks.size;
  };
  /** By code: the stored sets whose documents have an activity in this code. */
  const setsOfCodes = new Map<string, number[]>();
  for (const [at, number] of index.arrays.isicSet.entries()) {
    if (sets.readSet(number).size === 0) continue;
    for (const code of withParents(index.texts.columns.isic.at(at + 1) as string)) {
      setsOfCodes.getOrInsertComputed(code, () => []).push(number);
    }
  }
  for (const [code, numbers] of setsOfCodes) {
    const count = mark(numbers);
    if (count > 0) addCount(isic.codes, code, count);
    yield;
  }
  mark([...setsOfCodes].filter(([code]) => withParents(code).length === 1).flatMap(([, numbers]) => numbers));
  const { combination, combinationParts: parts } = index.arrays;
  const found = new Uint32Array(parts.length / COMBINATION);
  countNumbers(takeDocs(marks.asSet()), combination, found);
  for (const [number, count] of found.entries()) {
    const register = index.texts.columns.register.at(parts[number * COMBINATION + REGISTER] as number);
    if (count > 0) addCount(isic.registers, register as string, count);
  }
}

const REGISTER = partOf('register');
