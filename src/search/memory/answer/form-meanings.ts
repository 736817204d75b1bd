import { type FormMeaning, formColumnOf, readForm } from '../../../classifications/elf.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Narrow } from '../shared-arrays.ts';

/**
 * What the legal forms of documents mean. It follows from values that the index has, so the index need not be built again for
 * another edition of the tables. Each form is looked up once per index.
 */
export interface FormMeanings {
  /** The number of the meaning of a document in `list`. */
  numberOf(doc: number): number;
  readonly list: readonly FormMeaning[];
}

export function createFormMeanings({ arrays, texts }: SearchIndex): FormMeanings {
  const { register: registers, legalForm: labels } = texts.columns;
  const registerOf = arrays['summary.register'];
  const labelOf = arrays['summary.legalForm'];
  const codeOf = arrays.formCode;
  const list: FormMeaning[] = [];
  const numbers = new Map<string, number>();
  /** Of each register: the number of the column that its forms are known by, and the number of a meaning plus one. */
  const columns: Narrow[] = [];
  const known: Uint16Array[] = [];

  function prepare(register: number): Uint16Array {
    const isByCode = formColumnOf(registers.at(register) as string) === 'code';
    columns[register] = isByCode ? codeOf : labelOf;
    known[register] = new Uint16Array(isByCode ? texts.formCodes.length + 1 : labels.length);
    return known[register];
  }

  function learn(register: number, form: number): number {
    const isByCode = columns[register] === codeOf;
    const [code, label] = isByCode ? [form === 0 ? null : texts.formCodes.at(form - 1), null] : [null, labels.at(form)];
    const meaning = readForm(registers.at(register) as string, code, label);
    const key = `${meaning.elf?.code}|${meaning.legalFormClass}`;
    const number = numbers.get(key) ?? list.push(meaning) - 1;
    numbers.set(key, number);
    return number;
  }

  return {
    list,
    numberOf(doc) {
      const register = registerOf[doc] as number;
      const row = known[register] ?? prepare(register);
      const form = (columns[register] as Narrow)[doc] as number;
      const number = row[form] as number;
      if (number > 0) return number - 1;
      const learned = learn(register, form);
      row[form] = learned + 1;
      return learned;
    },
  };
}
