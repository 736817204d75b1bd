import { setImmediate as nextTurn } from 'node:timers/promises';
import { withParents } from '../../../registers/classifications/isic.ts';
import { addCount, ChoiceCounts, type Choices, countedFields } from '../../choices.ts';
import { COMBINATION, partOf } from '../encodings.ts';
import { type IndexState, type LiveIndex, listLive } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { createSetReader, type DocSet, has, Marks, takeDocs } from '../sets.ts';
import { createFormMeanings } from './form-meanings.ts';

/** The number of documents to count before other work gets a turn. Counting them takes a few milliseconds. */
const BATCH_SIZE = 50_000;
/** The number of combinations of values to count before other work gets a turn. Each import adds combinations. */
const COMBINATIONS = 4_096;

/** Counts the values of the filters in the index, without blocking the thread for long. Hidden documents are not counted. */
export async function countChoices(state: IndexState): Promise<Choices> {
  const counts = new ChoiceCounts();
  for (const part of listLive(state)) {
    await countCombinations(part, counts);
    await countActivities(part, counts);
    await countIsic(part, counts);
  }
  return counts.arrange();
}

async function countCombinations({ index, live }: LiveIndex, counts: ChoiceCounts): Promise<void> {
  const { combination, combinationParts: parts } = index.arrays;
  const { columns } = index.texts;
  const forms = createFormMeanings(index);
  const found = new Uint32Array(parts.length / COMBINATION);
  for (let from = 0; from < index.entities; from += BATCH_SIZE) {
    const to = Math.min(index.entities, from + BATCH_SIZE);
    for (let doc = from; doc < to; doc++) {
      if (live !== undefined && !has(live, doc)) continue;
      const number = combination[doc] as number;
      found[number] = (found[number] as number) + 1;
    }
    await nextTurn();
  }
  for (const [number, entities] of found.entries()) {
    if (number % COMBINATIONS === 0) await nextTurn();
    if (entities === 0) continue;
    const readValue = (name: 'countryCode' | (typeof countedFields)[number]) =>
      columns[name].at(parts[number * COMBINATION + partOf(name)] as number);
    const country = readValue('countryCode') as string;
    for (const field of countedFields) counts.add(country, field, readValue(field), entities);
    counts.addForm(country, readValue('register') ?? '', forms.ofCombination(number), entities);
  }
}

async function countActivities({ index, live }: LiveIndex, counts: ChoiceCounts): Promise<void> {
  const { arrays, texts, entities } = index;
  const countries = texts.columns.countryCode;
  const countryOf = arrays['summary.countryCode'];
  const readSet = createSetReader(arrays, entities);
  let counted = 0;
  for (const [activity, set] of arrays.activitySet.entries()) {
    const byCountry = new Uint32Array(countries.length);
    const docs = takeDocs(readSet(set));
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      if (live !== undefined && !has(live, doc)) continue;
      const number = countryOf[doc] as number;
      byCountry[number] = (byCountry[number] as number) + 1;
    }
    for (const [number, count] of byCountry.entries()) {
      if (count > 0) counts.add(countries.at(number) as string, 'activityKey', texts.activities.at(activity), count);
    }
    counted += docs.length;
    if (counted < BATCH_SIZE) continue;
    counted = 0;
    await nextTurn();
  }
}

/** Counts the companies of one code after the other, so that a company with several activities in a code counts once. */
async function countIsic({ index, live }: LiveIndex, { isic }: ChoiceCounts): Promise<void> {
  const marks = new Marks(index.entities);
  const mark = (sets: readonly DocSet[]): number => {
    marks.clear();
    for (const set of sets) marks.addSet(set);
    if (live !== undefined) marks.retain([live]);
    return marks.size;
  };
  const setsOfCodes = listSets(index);
  for (const [code, sets] of setsOfCodes) {
    const count = mark(sets);
    if (count > 0) addCount(isic.codes, code, count);
    await nextTurn();
  }
  mark([...setsOfCodes].filter(([code]) => withParents(code).length === 1).flatMap(([, sets]) => sets));
  const registers = index.texts.columns.register;
  const { combination, combinationParts: parts } = index.arrays;
  const found = new Uint32Array(registers.length);
  for (const doc of takeDocs(marks.asSet())) {
    const register = parts[(combination[doc] as number) * COMBINATION + REGISTER] as number;
    found[register] = (found[register] as number) + 1;
  }
  for (const [number, count] of found.entries()) {
    if (count > 0) addCount(isic.registers, registers.at(number) as string, count);
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
