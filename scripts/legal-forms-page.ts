/** Renders `docs/registers/legal-forms.md`: the classes, and what was decided about every national form. */
import {
  type FormRow,
  formChecks,
  formRows,
  isConfirmed,
  LEI_REGISTER,
  legalFormClasses,
  legalFormClassNames,
  MIN_CHECKED,
  readForm,
} from '../src/classifications/elf.ts';
import { registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const INTRO = `# Legal forms

<!-- Written by "npm run generate:docs" from src/classifications/legal-forms.tsv and elf-checks.tsv. -->

Every national legal form stays as its register writes it. In addition, a record and a search result show what it is in the list of
[entity legal forms](https://www.gleif.org/en/lei-data/code-lists/iso-20275-entity-legal-forms-code-list) (ELF, ISO 20275), and a class
that is the same in all countries. Both follow from the register's own code or name of the form by the tables on this page, never from the
name of a company. A form that is not on this page has neither. LEI records have an ELF code of their own.

- \`elf\` of a result, \`registry.legalForm.elf\` of a record: the code, such as \`H0PO\`. \`trust\` is \`exact\` if the form has the same name or
  abbreviation as in the list, and \`checked\` if it was found by meaning and LEI records of the same companies confirm it.
- \`registry.legalForm.leiElf\`: the code that the LEI record of the same company has, if it is another one.
- \`legalFormClass\` of a result and of a record: one of the classes below.

The search parameters \`elf\` and \`legalFormClass\` filter by them, and \`GET /api/v1/classifications/elf\` lists the codes that companies have.
The list has no codes for forms of Moldova and Ukraine, and federal corporations of Canada have no form in their file.
`;

const CHECKS = `## Agreement with LEI records

\`firmament check-elf\` counts the ELF codes that LEI records give to the companies of a national form. A code that was found by meaning is
used once at least ${MIN_CHECKED.companies} companies and ${MIN_CHECKED.share * 100} % of them agree.
`;

const NO_CHECKS = `No counts are recorded yet: the official samples at hand have no company with both a national and an LEI record. So no code that was
found by meaning is used; the tables below show them in brackets.
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

function renderRegister(id: string, name: string, rows: readonly FormRow[]): string {
  const used = rows.filter(({ form }) => readForm(id, form, form).elf !== null);
  const table = rows.map((row) => {
    const { form, label, elf, basis } = row;
    const isUsed = basis !== 'meaning' || isConfirmed(row);
    const code = elf === '' ? '' : isUsed ? `\`${elf}\`` : `(\`${elf}\`)`;
    return [
      form === label ? form : `\`${form}\` ${label}`,
      code,
      basis === 'none' ? '' : basis,
      `\`${row.class}\``,
      row.reason,
    ];
  });
  const intro = `${used.length} of ${rows.length} forms have an ELF code.\n`;
  return [
    `## ${id === LEI_REGISTER ? 'GLEIF' : id.toUpperCase()}: ${name}\n`,
    intro,
    writeTable(['Form', 'ELF', 'Found by', 'Class', 'Reason for the class'], table),
  ].join('\n');
}
