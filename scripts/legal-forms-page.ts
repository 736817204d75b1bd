/** Renders what is known about legal forms: `docs/registers/legal-forms.md`. */
import {
  type FormRow,
  formChecks,
  formRows,
  isConfirmed,
  legalFormClasses,
  legalFormClassNames,
  MIN_CHECKED,
  readForm,
} from '../src/registers/classifications/elf.ts';
import { registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const INTRO = `# Legal forms

<!-- Written by "npm run generate:docs" from src/registers/classifications/legal-forms.tsv and elf-checks.tsv. -->

Every national legal form stays as its register writes it. In addition, a record and a search result show what it is in the list of
[entity legal forms](https://www.gleif.org/en/lei-data/code-lists/iso-20275-entity-legal-forms-code-list) (ELF, ISO 20275), and a class
that is the same in all countries. Both follow from the register's own code or name of the form by the lists below, never
from the name of a company. A form that is not in the table \`src/registers/classifications/legal-forms.tsv\` has neither; this page lists its forms with an
ELF code, by their national code or text. LEI records have an ELF code of their own.

- \`elf\` of a result, \`registry.legalForm.elf\` of a record: the code, such as \`H0PO\`. \`trust\` is \`exact\` if exactly one code of the
  country has the same name or abbreviation, and \`checked\` if it was found by meaning and LEI records of the same companies confirm
  it. Case, accents and punctuation do not count for a name, and neither do an abbreviation before it, a remark in brackets or,
  in a name in brackets, remarks after commas. A name that the list gave to the code in a former version counts too.
- \`registry.legalForm.leiElf\`: the code that the LEI record of the same company has, if it is another one.
- \`legalFormClass\` of a result and of a record: one of the classes below.

The search parameters \`elf\` and \`legalFormClass\` filter by them, and \`GET /api/v1/classifications/elf\` lists the codes that companies have.
The list has no codes for forms of Moldova and Ukraine, and federal corporations of Canada have no form in their file.
`;

const CHECKS = `## Agreement with LEI records

\`scripts/check-elf.ts\` counts the ELF codes that LEI records give to the companies of a national form. A code that was found by meaning is
used once at least ${MIN_CHECKED.companies} companies and ${MIN_CHECKED.share * 100} % of them agree.
`;

const NO_CHECKS = `No counts are recorded yet: the official samples at hand have no company with both a national and an LEI record. So no code that was
found by meaning is used; the lists show them in brackets.
`;

export function renderLegalForms(): string {
  const byRegister = Map.groupBy(formRows, ({ register }) => register);
  const known = registers.filter(({ id }) => byRegister.has(id));
  const classes = legalFormClassNames.map((name) => [`\`${name}\``, legalFormClasses[name]]);
  return [
    INTRO,
    '## Classes\n',
    writeTable(['`legalFormClass`', 'Meaning'], classes),
    CHECKS,
    formChecks.length === 0
      ? NO_CHECKS
      : writeTable(['Register', 'Form', 'ELF of LEI records', 'Companies'], listChecks()),
    ...known.map(({ id, name }) => renderRegister(id, name, byRegister.get(id) ?? [])),
  ].join('\n');
}

function listChecks(): string[][] {
  return formChecks.map(({ register, form, elf, companies }) => [register, form, elf, String(companies)]);
}

/** The forms of a register by their class, each with its ELF code. */
function renderRegister(id: string, name: string, rows: readonly FormRow[]): string {
  const used = rows.filter(({ register, form }) => readForm(register, form, form).elf !== null).length;
  const byClass = Map.groupBy(rows, (row) => row.class);
  const lines = legalFormClassNames.flatMap((formClass) => {
    const forms = byClass.get(formClass);
    return forms === undefined ? [] : [`- ${formClass}: ${listForms(forms)}`];
  });
  return `## ${id.toUpperCase()}: ${name}\n\n${used} of ${rows.length} forms have an ELF code.\n\n${lines.join('\n')}\n`;
}

/** The forms with an ELF code, and the number of the others, which are many and only in the table. */
function listForms(forms: readonly FormRow[]): string {
  const coded = forms.filter(({ elf }) => elf !== '');
  const others = forms.length - coded.length;
  return [...coded.map(writeForm), ...(others === 0 ? [] : [`${others} without a code`])].join('; ');
}

/** By its code, or by its text if the register has no codes. */
function writeForm(row: FormRow): string {
  const { form, elf, basis } = row;
  return basis !== 'meaning' || isConfirmed(row) ? `${form} \`${elf}\`` : `${form} (\`${elf}\`)`;
}
