import { type FormMeaning, readForm } from '../../../registers/classifications/elf.ts';
import { COMBINATION, FORM_CODE, partOf } from '../encodings.ts';
import type { SearchIndex } from '../search-index.ts';

/**
 * What the legal forms of documents mean. The meaning is derived from values in the index, so another edition of the tables does not
 * require a new index. The meaning of each combination of values (`encodings.ts`) is derived once per index.
 */
export type FormMeanings = ReturnType<typeof createFormMeanings>;

export function createFormMeanings({ arrays, texts }: SearchIndex) {
  const { register: registers, legalForm: labels } = texts.columns;
  const { combination, combinationParts } = arrays;
  const list: FormMeaning[] = [];
  const numbers = new Map<string, number>();
  /** By combination: the number of its meaning in `list`, plus one. */
  const known = new Uint16Array(combinationParts.length / COMBINATION);

  function learn(of: number): number {
    const parts = combinationParts.subarray(of * COMBINATION, (of + 1) * COMBINATION);
    const code = parts[FORM_CODE] as number;
    const meaning = readForm(
      registers.at(parts[REGISTER] as number),
      code === 0 ? null : texts.formCodes.at(code - 1),
      labels.at(parts[LEGAL_FORM] as number),
    );
    const key = `${meaning.elf?.code}|${meaning.legalFormClass}`;
    const learned = numbers.get(key) ?? list.push(meaning) - 1;
    numbers.set(key, learned);
    known[of] = learned + 1;
    return learned;
  }

  const numberOfCombination = (of: number) => (known[of] ? (known[of] as number) - 1 : learn(of));

  return {
    list,
    /** The number of the meaning of a document in `list`. */
    numberOf: (doc: number) => numberOfCombination(combination[doc] as number),
    ofCombination: (of: number) => list[numberOfCombination(of)] as FormMeaning,
  };
}

const [REGISTER, LEGAL_FORM] = [partOf('register'), partOf('legalForm')];
