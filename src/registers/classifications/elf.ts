/**
 * Legal forms in the list of entity legal forms (ELF, ISO 20275) and in one class for all countries. Both follow from the
 * register and its own code or name of the form by the register's `legal-forms.tsv`, never from the name of a company. LEI records have a
 * code of the list themselves; `elf-codes.tsv` is the list.
 */
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

export type FormColumn = 'code' | 'label';
export function formColumnOf(register: string): FormColumn {
  return isByCode(register) ? 'code' : 'label';
}

/** In registers whose forms are not known by code, forms are known by name. */
function isByCode(register: string): boolean {
  return register === LEI_REGISTER || manifests.get(register)?.formsByCode === true;
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
  const form = isByCode(register) ? code : legalForm;
  return (form === null ? undefined : meanings.get(register)?.get(form)) ?? UNKNOWN;
}

function readLeiForm(code: string | null, legalForm: string | null): FormMeaning {
  if (code === null || NOT_A_FORM.has(code)) return UNKNOWN;
  const known = elfCodes.get(code);
  // A code of a newer list has the name that the import found.
  if (known === undefined)
    return {
      elf: { code, name: legalForm ?? code, source: 'lei', trust: 'exact' },
      legalFormClass: null,
    };
  return leiMeanings.getOrInsertComputed(code, () => ({
    elf: { code, name: known.name, source: 'lei', trust: 'exact' },
    legalFormClass: known.class,
  }));
}

/** Forms of one register, as values of one column. */
export interface FormValues {
  readonly register: string;
  readonly column: FormColumn;
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
