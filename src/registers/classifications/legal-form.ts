import type { DerivedSummary } from '../../base/entity-summary.ts';
import { type Elf, LEI_REGISTER, readForm } from './elf.ts';

/** The legal form of an entity, as stored. */
export interface StoredForm {
  readonly register: string | null;
  readonly legalForm: string | null;
  readonly legalFormCode: string | null;
}

/** The fields of a summary that follow from the stored form. */
export function deriveForm({
  register,
  legalForm,
  legalFormCode,
}: StoredForm): Pick<DerivedSummary, 'elf' | 'legalFormClass'> {
  const { elf, legalFormClass } = readForm(register, legalFormCode, legalForm);
  return { elf: elf?.code ?? null, legalFormClass };
}

/** The start of a `registry` that has a legal form. */
const LEGAL_FORM = '{"legalForm":{';

/**
 * Adds what the form is in the list of entity legal forms to `registry`, which is JSON: `elf` and, if the LEI record of the
 * same company has another code, `leiElf`. The rest of the text is not read: it may be megabytes.
 */
export function addElf(registry: string, form: StoredForm, related: readonly StoredForm[]): string {
  if (!registry.startsWith(LEGAL_FORM)) return registry;
  const { elf } = readForm(form.register, form.legalFormCode, form.legalForm);
  const leiElf = form.register === LEI_REGISTER ? undefined : related.map(readLeiElf).find((code) => code !== null);
  const own = elf === null ? '' : `"elf":${writeElf(elf)},`;
  const other = leiElf === undefined || leiElf?.code === elf?.code ? '' : `"leiElf":${JSON.stringify(leiElf)},`;
  return `${LEGAL_FORM}${own}${other}${registry.slice(LEGAL_FORM.length)}`;
}

/** Millions of records share a few thousand of these texts. */
const written = new WeakMap<Elf, string>();

function writeElf(elf: Elf): string {
  return written.getOrInsertComputed(elf, JSON.stringify);
}

function readLeiElf({ register, legalForm, legalFormCode }: StoredForm): Elf | null {
  return register === LEI_REGISTER ? readForm(register, legalFormCode, legalForm).elf : null;
}
