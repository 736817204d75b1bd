/** Renders what is known about legal forms: `docs/registers/legal-forms.md`. */
import {
  type FormRow,
  formRows,
  legalFormClasses,
  legalFormClassNames,
  MIN_CHECKED,
  readForm,
} from '../src/registers/classifications/elf.ts';
import { registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const INTRO = `# Legal forms

<!-- Written by "npm run generate:docs" from the legal-forms.tsv of each register and elf-checks.tsv. -->

Every national legal form stays as its register writes it. In addition, a record and a search result have its code in the list of
[entity legal forms](https://www.gleif.org/en/lei-data/code-lists/iso-20275-entity-legal-forms-code-list) (ELF, ISO 20275), and a class
that is the same in all countries. Both follow from the register's own code or name of the form, never from the name of a company. LEI records have an
ELF code of their own.

- \`elf\` of a result, \`registry.legalForm.elf\` of a record: the code, such as \`H0PO\`. Its \`trust\` is \`exact\` if exactly one code of the
  country has the same name or abbreviation. Case, accents and punctuation do not count, and neither do an abbreviation before the name or remarks in it. A
  former name of the code counts too. \`trust\` is \`checked\` if the code was found by meaning, and LEI records of the same companies confirm it: at
  least ${MIN_CHECKED.companies} companies, ${MIN_CHECKED.share * 100} % of which agree.
- \`registry.legalForm.leiElf\`: the code that the LEI record of the same company has, if it is another one.
- \`legalFormClass\` of a result and of a record: one of the classes below.

The search parameters \`elf\` and \`legalFormClass\` filter by them, and \`GET /api/v1/classifications/elf\` lists the codes that companies have.
`;

const FORMS = `## How many forms have a code

\`legal-forms.tsv\` in the folder of a register has every known form with its class, its ELF code, and how the code was found. Codes that were
found by meaning are used once LEI records confirm them. Forms with a code that is used, of all known forms:
`;

export function renderLegalForms(): string {
  const byRegister = Map.groupBy(formRows, ({ register }) => register);
  const known = registers.filter(({ id }) => byRegister.has(id));
  const classes = legalFormClassNames.map((name) => [`\`${name}\``, legalFormClasses[name]]);
  return [
    INTRO,
    '## Classes\n',
    writeTable(['`legalFormClass`', 'Meaning'], classes),
    FORMS,
    `${known.map(({ id }) => countForms(id, byRegister.get(id) ?? [])).join(', ')}.\n`,
  ].join('\n');
}

function countForms(id: string, rows: readonly FormRow[]): string {
  const coded = rows.filter(({ register, form }) => readForm(register, form, form).elf !== null);
  return `${id.toUpperCase()} ${coded.length} of ${rows.length}`;
}
