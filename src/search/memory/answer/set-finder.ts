import { compileIsicFilter } from '../../../classifications/isic.ts';
import { Marks } from '../marks.ts';
import type { SearchIndex } from '../search-index.ts';
import { createSetReader, type DocSet } from '../sets.ts';
import type { Terms } from './terms.ts';

export type SetFinder = ReturnType<typeof createSetFinder>;

/** Finds the stored sets of filters and broad fragments by their texts. */
export function createSetFinder({ arrays, texts, entities }: SearchIndex) {
  const { columns } = texts;
  const readSet = createSetReader(arrays, entities);
  const create = (keys: () => readonly (string | null)[], numbers: Uint32Array) => createTable(keys, numbers, readSet);
  const findBroad = create(() => texts.broad, arrays.broadSet);
  const findBroadNumber = create(() => texts.broadNumbers, arrays.broadNumberSet);
  const findCountry = create(() => columns.countryCode, arrays.countrySet);
  const findRegister = create(() => columns.register, arrays.registerSet);
  const findStatus = create(() => columns.status, arrays.statusSet);
  const findLegalForm = create(() => columns.legalForm, arrays.legalFormSet);
  const findFormCode = create(() => texts.formCodes, arrays.formCodeSet);
  const findKey = create(() => texts.activities, arrays.activitySet);

  /** An activity has a set for its codes and labels, and one for values as written. Few have two that differ. */
  function findActivity(keys: readonly string[]): DocSet | undefined {
    const [first, second] = new Set(keys.flatMap((key) => findKey(key) ?? []));
    if (first === undefined || second === undefined) return first;
    const either = new Marks(entities);
    either.addSet(first);
    either.addSet(second);
    return either.toSet();
  }

  /** The latest unions. Uniting the activities of a large section takes milliseconds. */
  const unions = new Map<string, DocSet>();

  function findIsic(filter: string): DocSet | undefined {
    let union = unions.get(filter);
    if (union === undefined) {
      union = uniteIsic(filter);
      const [oldest] = unions.keys();
      if (unions.size >= MAX_UNIONS && oldest !== undefined) unions.delete(oldest);
      unions.set(filter, union);
    }
    return union.size === 0 ? undefined : union;
  }

  function uniteIsic(filter: string): DocSet {
    const isIn = compileIsicFilter(filter);
    const wanted = columns.isic.map((code) => code !== null && isIn(code));
    const marks = new Marks(entities);
    for (const [activity, isic] of arrays.activityIsic.entries()) {
      if (wanted[isic]) marks.addSet(readSet(arrays.activitySet[activity] as number));
    }
    for (const [isic, isWanted] of wanted.entries()) {
      if (isWanted) marks.addSet(readSet(arrays.isicSet[isic] as number));
    }
    return marks.toSet();
  }

  return {
    /** The sets that a document must be in to pass the filters. Undefined if one of the values occurs nowhere. */
    findFilters(terms: Terms): DocSet[] | undefined {
      const { country, register, status, legalForm, legalFormCode, activityKeys, isic } = terms;
      const required: DocSet[] = [];
      const require = (set: DocSet | undefined) => set !== undefined && required.push(set) > 0;
      if (country !== undefined && !require(findCountry(country))) return undefined;
      if (register !== undefined && !require(findRegister(register))) return undefined;
      if (status !== undefined && !require(findStatus(status))) return undefined;
      if (legalForm !== undefined && !require(findLegalForm(legalForm))) return undefined;
      if (legalFormCode !== undefined && !require(findFormCode(legalFormCode))) return undefined;
      if (activityKeys !== undefined && !require(findActivity(activityKeys))) return undefined;
      if (isic !== undefined && !require(findIsic(isic))) return undefined;
      return required;
    },
    findCountry,
    findBroad,
    findBroadNumber,
  };
}

/** Each takes up to one bit per entity. */
const MAX_UNIONS = 4;

/** Created when first used: there may be tens of thousands of texts, and a new index must not cause a pause. */
function createTable(
  listKeys: () => readonly (string | null)[],
  numbers: Uint32Array,
  readSet: (number: number) => DocSet,
): (key: string) => DocSet | undefined {
  let table: Map<string | null, number> | undefined;
  return (key) => {
    table ??= new Map(listKeys().map((text, at) => [text, numbers[at] as number]));
    const number = table.get(key);
    return number === undefined ? undefined : readSet(number);
  };
}
