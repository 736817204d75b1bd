import { setImmediate as nextTurn } from 'node:timers/promises';
import { arrangeChoices, type Choices, type CountedField, type CountedValue, countedFields } from '../../../choices.ts';
import type { IndexState, LiveDocs } from '../../overlay.ts';
import type { SearchIndex } from '../../search-index.ts';
import { createSetReader, type DocSet, has, takeDocs } from '../../sets.ts';
import { countForms } from './count-forms.ts';
import { countIsic } from './count-isic.ts';

/** Documents to count before other work gets a turn, a few milliseconds. Counting 400,000 entities takes 80 ms. */
const BATCH_SIZE = 50_000;

/** Counts the values of the filters in the index, without blocking the thread for long. */
export async function countChoices({ base, overlay }: IndexState): Promise<Choices> {
  const counts = new Map<string, CountedValue>();
  const withElf = new Map<string, number>();
  const isic = { codes: new Map<string, number>(), registers: new Map<string, number>() };
  for (const { index, live } of [{ index: base, live: overlay?.live }, ...(overlay?.segments ?? [])]) {
    await countIn(index, live, counts, withElf);
    await countIsic(index, live?.size === index.entities ? undefined : live, isic);
  }
  return arrangeChoices([...counts.values()], isic, withElf);
}

/** Adds the counts of an index. Hidden documents are not counted. */
async function countIn(
  index: SearchIndex,
  live: LiveDocs | undefined,
  counts: Map<string, CountedValue>,
  withElf: Map<string, number>,
) {
  const hiding = live?.size === index.entities ? undefined : live;
  const add = (counted: CountedValue) => {
    const key = JSON.stringify({ ...counted, entities: 0 });
    const entities = counted.entities + (counts.get(key)?.entities ?? 0);
    counts.set(key, { ...counted, entities });
  };
  for (const field of countedFields) await countField(index, hiding, field, add);
  await countForms(index, hiding, add, withElf);
  await countActivities(index, hiding, add);
}

type Add = (counted: CountedValue) => void;

async function countActivities(index: SearchIndex, live: LiveDocs | undefined, add: Add): Promise<void> {
  const { arrays, texts, entities } = index;
  const countries = texts.columns.countryCode;
  const countryOf = arrays['summary.countryCode'];
  const readSet = createSetReader(arrays, entities);
  let counted = 0;
  for (const [activity, set] of arrays.activitySet.entries()) {
    const activityKey = texts.activities.at(activity);
    const byCountry = new Uint32Array(countries.length);
    const docs = docsOf(readSet(set));
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      if (live !== undefined && !has(live, doc)) continue;
      const number = countryOf[doc] as number;
      byCountry[number] = (byCountry[number] as number) + 1;
    }
    for (const [number, count] of byCountry.entries()) {
      if (count > 0) add({ country: countries.at(number) as string, activityKey, entities: count });
    }
    counted += docs.length;
    if (counted < BATCH_SIZE) continue;
    counted = 0;
    await nextTurn();
  }
}

/** How many entities of each country have each value of the field. */
async function countField(
  { arrays, texts, entities }: SearchIndex,
  live: LiveDocs | undefined,
  field: CountedField,
  add: Add,
): Promise<void> {
  const countries = texts.columns.countryCode;
  const values = texts.columns[field];
  const countryOf = arrays['summary.countryCode'];
  const numberOf = arrays[`summary.${field}`];
  const cells = new Uint32Array(countries.length * values.length);
  for (let from = 0; from < entities; from += BATCH_SIZE) {
    const to = Math.min(entities, from + BATCH_SIZE);
    for (let doc = from; doc < to; doc++) {
      if (live !== undefined && !has(live, doc)) continue;
      const cell = (countryOf[doc] as number) * values.length + (numberOf[doc] as number);
      cells[cell] = (cells[cell] as number) + 1;
    }
    await nextTurn();
  }
  for (const [cell, count] of cells.entries()) {
    const country = countries.at(Math.floor(cell / values.length)) as string;
    if (count > 0) add({ country, field, value: values.at(cell % values.length), entities: count });
  }
}

function docsOf(set: DocSet): Uint32Array {
  return set.list ?? takeDocs(set, 0, set.size);
}
