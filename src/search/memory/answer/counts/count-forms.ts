import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountedValue } from '../../../choices.ts';
import { listMeanings } from '../../../form-counts.ts';
import type { LiveDocs } from '../../overlay.ts';
import type { SearchIndex } from '../../search-index.ts';
import { has } from '../../sets.ts';
import { createFormMeanings } from '../form-meanings.ts';

/** Documents per turn of the event loop: less than a millisecond. */
const BATCH_SIZE = 50_000;

/**
 * Adds how many documents of each country have each ELF code and each class, and how many of each register have an ELF code.
 * Hidden documents are not counted.
 */
export async function countForms(
  index: SearchIndex,
  live: LiveDocs | undefined,
  add: (counted: CountedValue) => void,
  withElf: Map<string, number>,
): Promise<void> {
  const { countryCode: countries, register: registers } = index.texts.columns;
  const countryOf = index.arrays['summary.countryCode'];
  const registerOf = index.arrays['summary.register'];
  const forms = createFormMeanings(index);
  /** By the number of the meaning, then by country and register. */
  const counts: Uint32Array[] = [];
  for (let from = 0; from < index.entities; from += BATCH_SIZE) {
    const to = Math.min(index.entities, from + BATCH_SIZE);
    for (let doc = from; doc < to; doc++) {
      if (live !== undefined && !has(live, doc)) continue;
      const number = forms.numberOf(doc);
      counts[number] ??= new Uint32Array(countries.length * registers.length);
      const cell = (countryOf[doc] as number) * registers.length + (registerOf[doc] as number);
      const ofMeaning = counts[number];
      ofMeaning[cell] = (ofMeaning[cell] as number) + 1;
    }
    await nextTurn();
  }
  for (const [number, ofMeaning] of counts.entries()) {
    const meaning = forms.list[number];
    for (const [cell, entities] of ofMeaning.entries()) {
      if (entities === 0) continue;
      for (const one of listMeanings(countries.at(Math.floor(cell / registers.length)) as string, meaning, entities))
        add(one);
      const register = registers.at(cell % registers.length) as string;
      if (meaning?.elf) withElf.set(register, entities + (withElf.get(register) ?? 0));
    }
  }
}
