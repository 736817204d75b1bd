import { type FormMeaning, formColumnOf, readForm } from '../../../classifications/elf.ts';
import { COMBINATION, FORM_CODE, partOf } from '../combinations.ts';
import type { SearchIndex } from '../search-index.ts';

/**
 * What the legal forms of documents mean. It follows from values that the index has, so the index need not be built again for
 * another edition of the tables. Each combination is looked up once per index.
 */
export interface FormMeanings {
  /** The number of the meaning of a document in `list`. */
  numberOf(doc: number): number;
  readonly list: readonly FormMeaning[];
}

export function createFormMeanings({ arrays, texts }: SearchIndex): FormMeanings {
  const { register: registers, legalForm: labels } = texts.columns;
  const { combination, combinationParts } = arrays;
  const list: FormMeaning[] = [];
  const numbers = new Map<string, number>();
  /** The number of the meaning of each combination, plus one. */
  const known = new Uint16Array(combinationParts.length / COMBINATION);

  function learn(number: number): number {
    const parts = combinationParts.subarray(number * COMBINATION, (number + 1) * COMBINATION);
    const register = registers.at(parts[REGISTER] as number) as string;
    const form = parts[FORM_CODE] as number;
    const code = form === 0 ? null : texts.formCodes.at(form - 1);
    const label = labels.at(parts[LEGAL_FORM] as number);
    const isByCode = formColumnOf(register) === 'code';
    const meaning = isByCode ? readForm(register, code, null) : readForm(register, null, label);
    const key = `${meaning.elf?.code}|${meaning.legalFormClass}`;
    const learned = numbers.get(key) ?? list.push(meaning) - 1;
    numbers.set(key, learned);
    return learned;
  }

  return {
    list,
    numberOf(doc) {
      const of = combination[doc] as number;
      const number = known[of] as number;
      if (number > 0) return number - 1;
      const learned = learn(of);
      known[of] = learned + 1;
      return learned;
    },
  };
}

const [REGISTER, LEGAL_FORM] = [partOf('register'), partOf('legalForm')];
