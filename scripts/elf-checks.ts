import type { Queries } from '../src/base/db/db.ts';
import {
  type FormCheck,
  formColumnOf,
  formRows,
  LEI_REGISTER,
  readForm,
} from '../src/registers/classifications/elf.ts';

/** The legal forms of all companies in a store, for `check-elf.ts`. Each statement reads every entity. */

/** What LEI records say about national forms: companies by form and by the ELF code of their LEI record. */
export async function checkForms(db: Queries): Promise<FormCheck[]> {
  const checks = new Map<string, FormCheck>();
  for (const { register, legalForm, legalFormCode, leiForm, entities } of await countLinkedForms(db, LEI_REGISTER)) {
    const form = formColumnOf(register) === 'code' ? legalFormCode : legalForm;
    // 8888 and 9999 say that the list has no code for the form.
    if (form === null || readForm(LEI_REGISTER, leiForm, null).elf === null) continue;
    const key = JSON.stringify([register, form, leiForm]);
    const companies = entities + (checks.get(key)?.companies ?? 0);
    checks.set(key, { register, form, elf: leiForm, companies });
  }
  return [...checks.values()];
}

/** Forms with a code, also one that is not used yet. */
const LISTED = new Set(formRows.flatMap(({ register, form, elf }) => (elf === '' ? [] : `${register}|${form}`)));

/** How much of a register the tables cover. */
export interface FormCoverage {
  readonly register: string;
  readonly entities: number;
  readonly withForm: number;
  /** Entities with a form that the list of entity legal forms has: all but natural persons, branches and others without a code. */
  readonly withListedForm: number;
  readonly withElf: number;
  readonly withClass: number;
}

export async function measureForms(db: Queries): Promise<FormCoverage[]> {
  const byRegister = Map.groupBy(await countForms(db), ({ register }) => register);
  return Array.from(byRegister, ([register, forms]) => {
    const count = (isCounted: (form: (typeof forms)[number]) => boolean) =>
      forms.filter(isCounted).reduce((sum, { entities }) => sum + entities, 0);
    const formOf = ({ legalFormCode, legalForm }: (typeof forms)[number]) =>
      formColumnOf(register) === 'code' ? legalFormCode : legalForm;
    const meaningOf = ({ legalFormCode, legalForm }: (typeof forms)[number]) =>
      readForm(register, legalFormCode, legalForm);
    return {
      register,
      entities: count(() => true),
      withForm: count(({ legalForm }) => legalForm !== null),
      withListedForm: count((form) => meaningOf(form).elf !== null || LISTED.has(`${register}|${formOf(form)}`)),
      withElf: count((form) => meaningOf(form).elf !== null),
      withClass: count((form) => meaningOf(form).legalFormClass !== null),
    };
  });
}

/** A national form as stored. */
interface StoredForm {
  readonly register: string;
  readonly legalForm: string | null;
  readonly legalFormCode: string | null;
  readonly entities: number;
}

/** How many entities of each register have each form. */
async function countForms(db: Queries): Promise<StoredForm[]> {
  return db.all<StoredForm>(
    `SELECT register, legal_form AS "legalForm", legal_form_code AS "legalFormCode", count(*) AS entities FROM entities
      GROUP BY register, legal_form, legal_form_code ORDER BY register, entities DESC, legal_form`,
  );
}

interface LinkedForm extends StoredForm {
  /** The code of the form in the LEI record of the same company. */
  readonly leiForm: string;
}

/** How many companies of each national form have an LEI record with each form. */
async function countLinkedForms(db: Queries, leiRegister: string): Promise<LinkedForm[]> {
  return db.all<LinkedForm>(
    `SELECT n.register, n.legal_form AS "legalForm", n.legal_form_code AS "legalFormCode", l.legal_form_code AS "leiForm",
        count(DISTINCT n.id) AS entities
      FROM links JOIN entities l ON l.id = links.from_id JOIN entities n ON n.id = links.to_id
      WHERE l.register = $1 AND l.legal_form_code IS NOT NULL
      GROUP BY n.register, n.legal_form, n.legal_form_code, l.legal_form_code
      ORDER BY n.register, n.legal_form, n.legal_form_code, l.legal_form_code`,
    [leiRegister],
  );
}
