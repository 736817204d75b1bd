import { hash } from 'node:crypto';
import { type FormValues, registersByCode } from '../classifications/elf.ts';

/** The legal form of an entity as its register knows it, and the register: `no|AS`, `gb|Private Limited Company`. */
export const FORM_OF_REGISTER = `register || '|' || CASE WHEN register IN (${registersByCode.map((id) => `'${id}'`).join(', ')})
  THEN legal_form_code ELSE legal_form END`;
/** An index with another expression has another name. */
export const FORM_INDEX = `entities_forms_${hash('sha256', FORM_OF_REGISTER).slice(0, 16)}`;

/** A list, which PostgreSQL looks up in the index or in a hash table. Alternatives would be compared one by one. */
export function writeFormList(forms: readonly FormValues[], param: (value: string) => string): string {
  const keys = forms.flatMap(({ register, values }) => values.map((value) => `${register}|${value}`));
  return `(${FORM_OF_REGISTER}) = ANY(string_to_array(${param(keys.join('\n'))}, chr(10)))`;
}
