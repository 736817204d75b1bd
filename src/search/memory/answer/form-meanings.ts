import { type FormMeaning, readForm } from '../../../classifications/elf.ts';
import { COMBINATION, FORM_CODE, partOf } from '../encodings.ts';
import type { SearchIndex } from '../search-index.ts';

/** What the legal form of a combination of values means: see `encodings.ts`. */
export type FormMeanings = (combination: number) => FormMeaning;

/**
 * It follows from values that the index has, so the index need not be built again for another edition of the tables. Each
 * combination is looked up once.
 */
export function createFormMeanings({ arrays, texts }: SearchIndex): FormMeanings {
  const { register: registers, legalForm: labels } = texts.columns;
  const known: FormMeaning[] = [];
  function find(combination: number): FormMeaning {
    const parts = arrays.combinationParts.subarray(combination * COMBINATION);
    const code = parts[FORM_CODE] as number;
    return readForm(
      registers.at(parts[REGISTER] as number),
      code === 0 ? null : texts.formCodes.at(code - 1),
      labels.at(parts[LEGAL_FORM] as number),
    );
  }
  return (combination) => {
    known[combination] ??= find(combination);
    return known[combination];
  };
}

const [REGISTER, LEGAL_FORM] = [partOf('register'), partOf('legalForm')];
