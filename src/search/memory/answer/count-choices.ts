import { setImmediate as nextTurn } from 'node:timers/promises';
import { arrangeChoices, type Choices, type CountedField, type CountedValue, countedFields } from '../../choices.ts';
import type { SearchIndex } from '../search-index.ts';
import { type DocSet, readSets, takeDocs } from '../sets.ts';

/**
 * Documents to count before other work gets a turn, a few milliseconds. Counting 400,000 entities takes 80 ms in all.
 */
const BATCH_SIZE = 50_000;

/** Counts the values of the filters in the index, without blocking the thread for long. */
export async function countChoices(index: SearchIndex): Promise<Choices> {
  const { arrays, texts, entities } = index;
  const { countryCode: countries } = texts.columns;
  const countryOf = arrays['summary.countryCode'];
  const counts: CountedValue[] = [];
  for (const field of countedFields) counts.push(...(await countField(index, field)));

  const sets = readSets(arrays, entities);
  let counted = 0;
  for (const [activity, activityKey] of texts.activities.entries()) {
    const byCountry = new Uint32Array(countries.length);
    const docs = docsOf(sets[arrays.activitySet[activity] as number] as DocSet);
    for (let at = 0; at < docs.length; at++) {
      const number = countryOf[docs[at] as number] as number;
      byCountry[number] = (byCountry[number] as number) + 1;
    }
    for (const [number, count] of byCountry.entries()) {
      if (count > 0) counts.push({ country: countries[number] ?? '', activityKey, entities: count });
    }
    counted += docs.length;
    if (counted < BATCH_SIZE) continue;
    counted = 0;
    await nextTurn();
  }
  return arrangeChoices(counts);
}

/** How many entities of each country have each value of the field. */
async function countField({ arrays, texts, entities }: SearchIndex, field: CountedField): Promise<CountedValue[]> {
  const countries = texts.columns.countryCode;
  const values = texts.columns[field];
  const countryOf = arrays['summary.countryCode'];
  const numberOf = arrays[`summary.${field}`];
  const cells = new Uint32Array(countries.length * values.length);
  for (let from = 0; from < entities; from += BATCH_SIZE) {
    const to = Math.min(entities, from + BATCH_SIZE);
    for (let doc = from; doc < to; doc++) {
      const cell = (countryOf[doc] as number) * values.length + (numberOf[doc] as number);
      cells[cell] = (cells[cell] as number) + 1;
    }
    await nextTurn();
  }
  return Array.from(cells, (count, cell) => ({
    country: countries[Math.floor(cell / values.length)] ?? '',
    field,
    value: values[cell % values.length] ?? null,
    entities: count,
  })).filter((counted) => counted.entities > 0);
}

function docsOf(set: DocSet): Uint32Array {
  return set.list ?? takeDocs(set, 0, set.size);
}
