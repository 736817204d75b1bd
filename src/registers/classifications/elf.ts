/**
 * Legal forms in the list of entity legal forms (ELF, ISO 20275) and in one class for all countries. Both follow from the
 * register and its own code or name of the form by the register's `legal-forms.tsv`, never from the name of a company. LEI records have a
 * code of the list themselves; `elf-codes.tsv` is the list.
 */
import type { DerivedSummary } from '../../base/entity-summary.ts';
import { readRows, readRowsOfAll } from '../data-files.ts';
import { manifests } from '../manifest.ts';

/** The values of `legalFormClass`, each with its meaning. New values may be added within v1, but none may be removed. */
export const legalFormClasses = {
  limited_company: 'company whose members are not liable and whose shares, if any, are not offered to the public',
  public_company: 'company with shares that may be offered to the public: PLC, SA, AG, SE',
  partnership: 'partnership, also with limited partners or limited liability',
  sole_trader: 'business of a natural person or a family',
  branch: 'branch, representation or other part of an entity, often of a foreign one',
  association: 'association, trade union, party, chamber or community of owners',
  foundation: 'foundation or fund with a purpose and without members',
  cooperative: 'cooperative, also of housing, banking or farming',
  public_body: 'state, municipality, public institution or enterprise of its own law',
  other: 'any other form, such as a mutual insurer, an investment fund, a church or an economic interest grouping',
} as const;
export type LegalFormClass = keyof typeof legalFormClasses;
export const legalFormClassNames = Object.keys(legalFormClasses) as LegalFormClass[];

/** Returns the equal text from the list. V8 takes twice as long to write an object with a text that is a part of another text, such as of a table. */
function toClass(text: string): LegalFormClass | null {
  return legalFormClassNames.find((name) => name === text) ?? null;
}

/** A code of the list, and how the code is known. */
export interface Elf {
  readonly code: string;
  /** The name of the form in its country. */
  readonly name: string;
  /** `register`: from the national form; `lei`: from the LEI record. */
  readonly source: 'register' | 'lei';
  /** `exact`: same name or abbreviation, or the code itself; `checked`: LEI records of the same companies confirm it. */
  readonly trust: 'exact' | 'checked';
}

export interface FormMeaning {
  readonly elf: Elf | null;
  readonly legalFormClass: LegalFormClass | null;
}

/** How a row of `legal-forms.tsv` found its ELF code. */
export type Basis = 'name' | 'abbreviation' | 'meaning' | 'none';

/** A decision about a national form. */
export interface FormRow {
  readonly register: string;
  /** The code or the name, whichever the register's forms are known by. */
  readonly form: string;
  readonly label: string;
  /** The ELF code, also a code that is not used because nothing confirms it yet; '' for a form without a code. */
  readonly elf: string;
  readonly basis: Basis;
  readonly class: LegalFormClass;
  readonly reason: string;
}

export interface ElfCode {
  readonly code: string;
  readonly country: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly class: LegalFormClass | null;
}

/** The register of LEI records: its forms are codes of the list. */
export const LEI_REGISTER = 'gleif';
/** Codes of the list that mean that a company has no form of the list. */
const NOT_A_FORM = new Set(['8888', '9999']);

/** Which forms of a register have a meaning: its codes or its names. */
export function formColumnOf(register: string): 'code' | 'label' {
  return register === LEI_REGISTER || manifests.get(register)?.formsByCode === true ? 'code' : 'label';
}

export const elfCodes: ReadonlyMap<string, ElfCode> = new Map(
  readRows('classifications/elf-codes.tsv').map(([code = '', country = '', status, formClass = '', name = '']) => [
    code,
    { code, country, name, isActive: status !== 'inactive', class: toClass(formClass) },
  ]),
);

export const formRows: readonly FormRow[] = readRowsOfAll('legal-forms.tsv').map(
  ([register = '', form = '', label = '', elf = '', basis = '', formClass = '', reason = '']) => ({
    register,
    form,
    label: label || form,
    elf,
    basis: basis as Basis,
    class: toClass(formClass) as LegalFormClass,
    reason,
  }),
);

/** How many companies with this form have an LEI record with this ELF code. Written by `scripts/check-elf.ts`. */
export interface FormCheck {
  readonly register: string;
  readonly form: string;
  readonly elf: string;
  readonly companies: number;
}

const formChecks: readonly FormCheck[] = readRows('classifications/elf-checks.tsv').map(
  ([register = '', form = '', elf = '', companies = '']) => ({ register, form, elf, companies: Number(companies) }),
);

/** How many LEI records must agree with a row that was found by meaning before the row is used. */
export const MIN_CHECKED = { companies: 5, share: 0.9 } as const;

/** Whether LEI records confirm the code of a row. */
export function isConfirmed({ register, form, elf }: FormRow, checks: readonly FormCheck[] = formChecks): boolean {
  const found = checks.filter((check) => check.register === register && check.form === form);
  const total = found.reduce((sum, { companies }) => sum + companies, 0);
  const agreeing = found.find((check) => check.elf === elf)?.companies ?? 0;
  return agreeing >= MIN_CHECKED.companies && agreeing >= MIN_CHECKED.share * total;
}

const UNKNOWN: FormMeaning = { elf: null, legalFormClass: null };

function toMeaning(row: FormRow): FormMeaning {
  const { elf: code, basis } = row;
  const legalFormClass = row.class;
  const name = elfCodes.get(code)?.name;
  const isUsed = name !== undefined && (basis === 'meaning' ? isConfirmed(row) : basis !== 'none');
  if (!isUsed) return { elf: null, legalFormClass };
  return { elf: { code, name, source: 'register', trust: basis === 'meaning' ? 'checked' : 'exact' }, legalFormClass };
}

/** The meanings by register and form. */
const meanings: ReadonlyMap<string, ReadonlyMap<string, FormMeaning>> = new Map(
  [...Map.groupBy(formRows, ({ register }) => register)].map(([register, rows]) => [
    register,
    new Map(rows.map((row) => [row.form, toMeaning(row)])),
  ]),
);
const leiMeanings = new Map<string, FormMeaning>();

/** The meaning of a form. `legalForm` is the form as a result shows it: its name, or else its code. */
export function readForm(register: string | null, code: string | null, legalForm: string | null): FormMeaning {
  if (register === LEI_REGISTER) return readLeiForm(code, legalForm);
  if (register === null) return UNKNOWN;
  const form = formColumnOf(register) === 'code' ? code : legalForm;
  return (form === null ? undefined : meanings.get(register)?.get(form)) ?? UNKNOWN;
}

function readLeiForm(code: string | null, legalForm: string | null): FormMeaning {
  if (code === null || NOT_A_FORM.has(code)) return UNKNOWN;
  const known = elfCodes.get(code);
  // A code of a newer list has the name that the import found.
  const name = known?.name ?? legalForm ?? code;
  const read = (): FormMeaning => ({
    elf: { code, name, source: 'lei', trust: 'exact' },
    legalFormClass: known?.class ?? null,
  });
  return known === undefined ? read() : leiMeanings.getOrInsertComputed(code, read);
}

/** Forms of one register, as values of one column. */
export interface FormValues {
  readonly register: string;
  readonly column: 'code' | 'label';
  readonly values: readonly string[];
}

/** The search filters `elf` and `legalFormClass`. A form fulfils a filter if the list contains the value of the form. */
export interface FormFilter {
  readonly elf?: readonly string[] | undefined;
  readonly legalFormClass?: readonly string[] | undefined;
}

/** All forms that fulfil the filter: a company fulfils the filter exactly if it has one of these forms. */
export function findForms({ elf, legalFormClass }: FormFilter): FormValues[] {
  const isOneOf = (value: string | null | undefined, list: readonly string[] | undefined) =>
    list === undefined || (value !== null && value !== undefined && list.includes(value));
  const fulfils = (meaning: FormMeaning) =>
    isOneOf(meaning.elf?.code, elf) && isOneOf(meaning.legalFormClass, legalFormClass);
  const national = Array.from(meanings, ([register, forms]) => ({
    register,
    column: formColumnOf(register),
    values: [...forms].flatMap(([form, meaning]) => (fulfils(meaning) ? form : [])),
  }));
  const codes = new Set([...elfCodes.keys(), ...(elf ?? [])]);
  const lei = [...codes].filter((code) => fulfils(readLeiForm(code, null)));
  return [...national, { register: LEI_REGISTER, column: 'code' as const, values: lei }].filter(
    ({ values }) => values.length > 0,
  );
}

/** The legal form of an entity, as stored. */
export interface StoredForm {
  readonly register: string | null;
  readonly legalForm: string | null;
  readonly legalFormCode: string | null;
}

/** The fields of a summary that follow from the stored form. */
export function deriveForm(form: StoredForm): Pick<DerivedSummary, 'elf' | 'legalFormClass'> {
  const { elf, legalFormClass } = readForm(form.register, form.legalFormCode, form.legalForm);
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
