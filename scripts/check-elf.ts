/**
 * `node scripts/check-elf.ts [--out FILE]`: counts the ELF codes that LEI records give to companies of each national legal form in the
 * configured store, and shows where they agree with our table, and how many companies of each register have an ELF code. Import the LEI file
 * and the files of national registers first. A code that was found by meaning is used once at least five companies and nine of ten agree:
 * write the counts with --out, replace src/registers/classifications/elf-checks.tsv and run "npm run generate:docs".
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { renderTable } from '../src/base/terminal/table.ts';
import { type FormCheck, formRows, isConfirmed } from '../src/registers/classifications/elf.ts';
import { open } from '../src/services/open.ts';
import { checkForms, type FormCoverage, measureForms } from './elf-checks.ts';

const HEADER = `# Companies of national registers with an LEI record, by national form and the ELF code of that record. Written by \`scripts/check-elf.ts\`.
# register, form, ELF code, companies
`;

const { values } = parseArgs({ options: { out: { type: 'string' } } });
await using opened = open();
const { services } = opened;
await services.requireSchema();
const checks = await checkForms(services.registryDb);
if (checks.length === 0) console.log('No company of a national register has an LEI record.\n');
else console.log(renderTable(['Register', 'Form', 'LEI', 'Companies', 'Table', 'Result'], listChecks(checks)));
const columns = ['Register', 'Companies', 'With form', 'Form in ELF', 'With ELF', 'With class'];
console.log(renderTable(columns, listCoverage(await measureForms(services.registryDb))));
if (values.out !== undefined) writeChecks(values.out, checks);

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
  writeFileSync(path, HEADER + lines.join(''));
}
