import { type FormMeaning, readForm } from '../classifications/elf.ts';
import type { Choice, CountedValue } from './choices.ts';
import { type FacetName, toChoices } from './facets.ts';

/**
 * The legal form of an entity as one text, for engines that count in SQL: what it means is known only here. Both dialects read
 * this expression. The name comes last, because it may contain anything.
 */
export const FORM_KEY = `concat(coalesce(register, ''), '\t', coalesce(legal_form_code, ''), '\t', coalesce(legal_form, ''))`;

function readFormKey(key: string): FormMeaning {
  const [register = '', code = ''] = key.split('\t', 2);
  return readForm(register || null, code || null, key.slice(register.length + code.length + 2) || null);
}

/** The same number of entities, by ELF code and by class. */
export function listMeanings(country: string, meaning: FormMeaning | undefined, entities: number): CountedValue[] {
  const value = { country, entities };
  return [
    { ...value, field: 'elf', value: meaning?.elf?.code ?? null },
    { ...value, field: 'legalFormClass', value: meaning?.legalFormClass ?? null },
  ];
}

/** Entities of countries by the key of their form. `registers` has those of each register that have an ELF code. */
export function countMeanings(
  rows: readonly { readonly country: string; readonly form: string; readonly entities: number }[],
): { readonly values: CountedValue[]; readonly registers: ReadonlyMap<string, number> } {
  const counts = new Map<string, CountedValue>();
  const registers = new Map<string, number>();
  for (const { country, form, entities } of rows) {
    const meaning = readFormKey(form);
    const register = form.slice(0, form.indexOf('\t'));
    if (meaning.elf !== null) registers.set(register, entities + (registers.get(register) ?? 0));
    for (const one of listMeanings(country, meaning, entities)) {
      const key = JSON.stringify({ ...one, entities: 0 });
      counts.set(key, { ...one, entities: one.entities + (counts.get(key)?.entities ?? 0) });
    }
  }
  return { values: [...counts.values()], registers };
}

/** The choices of a filter from values and counts as SQL returns them; of `legalFormClass` they are keys of forms. */
export function toFacet(
  name: FacetName,
  counts: Iterable<readonly [value: string | null, entities: number]>,
): Choice[] {
  if (name !== 'legalFormClass') return toChoices(counts);
  const classes = new Map<string | null, number>();
  for (const [key, entities] of counts) {
    const { legalFormClass } = readFormKey(key ?? '');
    classes.set(legalFormClass, (classes.get(legalFormClass) ?? 0) + entities);
  }
  return toChoices(classes);
}
