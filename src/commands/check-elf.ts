import { writeFileSync } from 'node:fs';
import { type FormCheck, formRows, isConfirmed } from '../classifications/elf.ts';
import type { FormCoverage } from '../registry/forms/forms.ts';
import type { Command } from '../terminal/command.ts';
import { renderTable } from '../terminal/table.ts';
import { findTextWidth } from '../terminal/width.ts';
import { describeWriteFailure } from './input/file-argument.ts';
import { open } from './open.ts';

const HEADER = `# Companies of national registers with an LEI record, by national form and the ELF code of that record. Written by \`firmament check-elf\`.
# register, form, ELF code, companies
`;

export const checkElf: Command = {
  name: 'check-elf',
  options: {
    out: { type: 'string', description: 'Write the counts to this file, as src/classifications/elf-checks.tsv.' },
  },
  help: `
Counts the ELF codes that LEI records give to companies of each national legal form, and shows where they agree with our table.
Import the LEI file and the files of national registers first. A code that was found by meaning is used once at least five
companies and nine of ten agree: write the counts with --out, replace src/classifications/elf-checks.tsv and run
"npm run generate:docs". Also shows how many companies of each register have an ELF code.`,
  examples: [
    ['check-elf', 'Show the agreement and the coverage.'],
    ['check-elf --out elf-checks.tsv', 'Also write the counts.'],
  ],
  async run({ values }) {
    await using opened = open();
    const { services } = opened;
    await services.requireSchema();
    const checks = await services.registry.checkForms();
    const coverage = await services.registry.measureForms();
    const fit = { width: findTextWidth(process.stdout), cut: ['Form'] };
    if (checks.length === 0) process.stdout.write('No company of a national register has an LEI record.\n\n');
    else
      process.stdout.write(
        `${renderTable(['Register', 'Form', 'LEI', 'Companies', 'Table', 'Result'], listChecks(checks), fit)}\n`,
      );
    process.stdout.write(
      renderTable(
        ['Register', 'Companies', 'With form', 'Form in ELF', 'With ELF', 'With class'],
        listCoverage(coverage),
        fit,
      ),
    );
    if (typeof values.out === 'string') writeChecks(values.out, checks);
  },
};

function listChecks(checks: readonly FormCheck[]) {
  return checks.map(({ register, form, elf, companies }) => {
    const row = formRows.find((one) => one.register === register && one.form === form);
    return [register, form, elf, companies, row?.elf ?? '', describeResult()];

    function describeResult(): string {
      if (row === undefined || row.elf === '') return 'no code in the table';
      if (row.elf !== elf) return 'differs';
      return row.basis !== 'meaning' ? 'agrees' : isConfirmed(row, checks) ? 'confirmed' : 'agrees, too few';
    }
  });
}

function listCoverage(coverage: readonly FormCoverage[]) {
  return coverage.map(({ register, entities, withForm, withListedForm, withElf, withClass }) => {
    const share = (count: number) => `${((100 * count) / entities).toFixed(1)} %`;
    return [register, entities, share(withForm), share(withListedForm), share(withElf), share(withClass)];
  });
}

function writeChecks(path: string, checks: readonly FormCheck[]): void {
  const lines = checks.map(({ register, form, elf, companies }) => `${register}\t${form}\t${elf}\t${companies}\n`);
  try {
    writeFileSync(path, HEADER + lines.join(''));
  } catch (error) {
    describeWriteFailure(error);
  }
}
