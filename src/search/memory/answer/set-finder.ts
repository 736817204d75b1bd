import type { FormValues } from '../../../registers/classifications/elf.ts';
import { compileIsicFilter } from '../../../registers/classifications/isic.ts';
import { listForms } from '../../search.ts';
import { type AliasArrays, aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import { createSetReader, type DocSet, Marks } from '../sets.ts';
import type { TextList } from '../shared-arrays.ts';
import type { Terms } from './terms.ts';

export type SetFinder = ReturnType<typeof createSetFinder>;

/** Finds the stored sets of filters and broad fragments by their texts. */
export function createSetFinder({ arrays, texts, entities }: SearchIndex) {
  const { columns } = texts;
  const readSet = createSetReader(arrays, entities);
  const create = (keys: TextList<string | null>, numbers: Uint32Array) =>
    createTable(keys, (position) => readSet(numbers[position] as number));
  const findBroadNumber = create(texts.broadNumbers, arrays.broadNumberSet);
  const findValue = {
    country: create(columns.countryCode, arrays.countrySet),
    register: create(columns.register, arrays.registerSet),
    jurisdiction: create(columns.jurisdiction, arrays.jurisdictionSet),
    status: create(columns.status, arrays.statusSet),
    legalForm: create(columns.legalForm, arrays.legalFormSet),
    legalFormCode: create(texts.formCodes, arrays.formCodeSet),
  };
  const findKey = create(texts.activities, arrays.activitySet);

  /** An activity has a set for its codes and labels, and a set for values as written. These two sets rarely differ. */
  function findActivity(keys: readonly string[]): DocSet | undefined {
    const [first, second] = new Set(keys.flatMap((key) => findKey(key) ?? []));
    if (first === undefined || second === undefined) return first;
    const either = new Marks(entities);
    either.addSet(first);
    either.addSet(second);
    return either.toSet();
  }

  /** Caches the latest unions, because uniting the forms or activities of all registers takes milliseconds. */
  const unions = new Map<string, DocSet>();

  function keepUnion(key: string, unite: () => DocSet): DocSet | undefined {
    const union = unions.get(key) ?? unite();
    if (unions.set(key, union).size > MAX_UNIONS) unions.delete(unions.keys().next().value as string);
    return union.size === 0 ? undefined : union;
  }

  function uniteIsic(filter: string): DocSet {
    const isIn = compileIsicFilter(filter);
    const marks = new Marks(entities);
    for (const [at, number] of arrays.isicSet.entries()) {
      if (isIn(columns.isic.at(at + 1) as string)) marks.addSet(readSet(number));
    }
    return marks.toSet();
  }

  /** Several registers may use one code or name for different forms, so the forms of a register are united and then limited to the register. */
  function uniteForms(forms: readonly FormValues[]): DocSet {
    const [all, part, scope] = [new Marks(entities), new Marks(entities), new Marks(entities)];
    for (const { register, column, values } of forms) {
      const ofRegister = findValue.register(register);
      if (ofRegister === undefined) continue;
      const find = column === 'code' ? findValue.legalFormCode : findValue.legalForm;
      part.clear();
      for (const value of values) {
        const set = find(value);
        if (set !== undefined) part.addSet(set);
      }
      scope.clear();
      scope.addSet(ofRegister);
      part.retain(scope);
      all.addSet(part.asSet());
    }
    return all.toSet();
  }

  const createBroad = (keys: TextList, sets: Pick<AliasArrays, 'broadSet' | 'broadStartSet' | 'broadWholeSet'>) =>
    createTable(keys, (position) => {
      const setAt = (numbers: Uint32Array) => readSet(numbers[position] as number);
      return { inside: setAt(sets.broadSet), start: setAt(sets.broadStartSet), whole: setAt(sets.broadWholeSet) };
    });
  const findBroad = createBroad(texts.broad, arrays);
  const aliases = aliasKinds.map((kind) => createBroad(texts[`${kind}.broad`], aliasArraysOf(arrays, kind)));

  return {
    /** The sets that a document must be in to pass the filters. Undefined if one of the values occurs nowhere. */
    findFilters(terms: Terms): DocSet[] | undefined {
      const { activityKeys, isic, elf, legalFormClass, register } = terms;
      const required: (DocSet | undefined)[] = [];
      for (const name of FILTERS) if (terms[name] !== undefined) required.push(findValue[name](terms[name]));
      if (activityKeys !== undefined) required.push(findActivity(activityKeys));
      if (isic !== undefined) required.push(keepUnion(isic, () => uniteIsic(isic)));
      const forms = listForms(terms);
      if (forms !== undefined) {
        required.push(keepUnion(JSON.stringify([elf, legalFormClass, register]), () => uniteForms(forms)));
      }
      return required.includes(undefined) ? undefined : (required as DocSet[]);
    },
    readSet,
    findStatus: findValue.status,
    findBroad: (fragment: string) => findBroad(fragment)?.inside,
    findBroadNumber,
    /** Finds stored sets by where the fragment is in words: first for current names, then for each of `aliasKinds`. `inside` includes numbers. */
    broadWords: [findBroad, ...aliases],
  };
}

/** The filters that compare a field with one value. */
const FILTERS = ['country', 'register', 'jurisdiction', 'status', 'legalForm', 'legalFormCode'] as const;

/** The number of unions to cache. Each union takes up to one bit per entity. */
const MAX_UNIONS = 4;

/** Finds what belongs to a text by its position. The table is created when first used: there may be tens of thousands of texts. */
function createTable<T>(keys: TextList<string | null>, read: (position: number) => T): (key: string) => T | undefined {
  let table: Map<string | null, number> | undefined;
  return (key) => {
    table ??= new Map(Array.from(keys, (text, at) => [text, at]));
    const position = table.get(key);
    return position === undefined ? undefined : read(position);
  };
}
