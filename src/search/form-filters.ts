import { type FormFilter, type FormValues, findForms } from '../classifications/elf.ts';
import type { SearchQuery } from './search.ts';

/** The filters that follow from the legal form: both are lists separated by commas. */
export type FormQuery = Pick<SearchQuery, 'elf' | 'legalFormClass'>;

export function readFormFilter({ elf, legalFormClass }: FormQuery): FormFilter | undefined {
  if (elf === undefined && legalFormClass === undefined) return undefined;
  return { elf: elf?.split(','), legalFormClass: legalFormClass?.split(',') };
}

/** The national forms that the filters mean, at most of the register that the query names. Undefined without these filters. */
export function listForms(query: FormQuery & Pick<SearchQuery, 'register'>): readonly FormValues[] | undefined {
  const filter = readFormFilter(query);
  if (filter === undefined) return undefined;
  const forms = findForms(filter);
  return query.register === undefined ? forms : forms.filter(({ register }) => register === query.register);
}

/** The columns of the store with a form. */
const COLUMNS = { code: 'legal_form_code', label: 'legal_form' } as const;

/** The condition in SQL; `write` writes a value. */
export function writeForms(forms: readonly FormValues[], write: (value: string) => string): string {
  const alternatives = forms.map(
    ({ register, column, values }) =>
      `(register = ${write(register)} AND ${COLUMNS[column]} IN (${values.map(write).join(', ')}))`,
  );
  return alternatives.length === 0 ? '1 = 0' : `(${alternatives.join(' OR ')})`;
}
