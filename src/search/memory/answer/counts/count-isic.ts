import { setImmediate as nextTurn } from 'node:timers/promises';
import { withParents } from '../../../../classifications/isic.ts';
import { Marks } from '../../marks.ts';
import type { LiveDocs } from '../../overlay.ts';
import type { SearchIndex } from '../../search-index.ts';
import { createSetReader, type DocSet, takeDocs } from '../../sets.ts';

export interface AddedCounts {
  readonly codes: Map<string, number>;
  readonly registers: Map<string, number>;
}

/**
 * Adds how many documents have an activity in each ISIC code, and how many of each register have any. One code at a time: a company
 * with several activities in a code counts once. Hidden documents are not counted.
 */
export async function countIsic(index: SearchIndex, live: LiveDocs | undefined, counts: AddedCounts): Promise<void> {
  const marks = new Marks(index.entities);
  const mark = (sets: readonly DocSet[]): number => {
    marks.clear();
    for (const set of sets) marks.addSet(set);
    if (live !== undefined) marks.retain([live]);
    return marks.size;
  };
  const setsOfCodes = listSets(index);
  for (const [code, sets] of setsOfCodes) {
    add(counts.codes, code, mark(sets));
    await nextTurn();
  }
  mark([...setsOfCodes].filter(([code]) => withParents(code).length === 1).flatMap(([, sets]) => sets));
  const registers = index.texts.columns.register;
  const registerOf = index.arrays['summary.register'];
  const found = new Uint32Array(registers.length);
  for (const doc of takeDocs(marks.asSet(), 0, marks.size)) {
    const register = registerOf[doc] as number;
    found[register] = (found[register] as number) + 1;
  }
  for (const [number, count] of found.entries()) add(counts.registers, registers.at(number) as string, count);
}

/** The stored sets whose documents have an activity in a code, by code. */
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

function add(counts: Map<string, number>, key: string, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}
