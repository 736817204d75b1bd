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

  return {
    /** The sets that a document must be in to pass the filters. Undefined if one of the values occurs nowhere. */
    findFilters(terms: Terms): DocSet[] | undefined {
      const { country, register, status, legalForm, legalFormCode, activityKeys } = terms;
      const required: DocSet[] = [];
      const require = (set: DocSet | undefined) => set !== undefined && required.push(set) > 0;
      if (country !== undefined && !require(findCountry(country))) return undefined;
      if (register !== undefined && !require(findRegister(register))) return undefined;
      if (status !== undefined && !require(findStatus(status))) return undefined;
      if (legalForm !== undefined && !require(findLegalForm(legalForm))) return undefined;
      if (legalFormCode !== undefined && !require(findFormCode(legalFormCode))) return undefined;
      if (activityKeys !== undefined && !require(findActivity(activityKeys))) return undefined;
      return required;
    },
    findCountry,
    findBroad,
    findBroadNumber,
  };
}

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
