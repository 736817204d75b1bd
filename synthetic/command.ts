import { basename, dirname, join } from 'node:path';
import { formatCount } from '../src/base/format-count.ts';
import { type Command, parseNumber, UsageError } from '../src/base/terminal/command.ts';
import { createDisplay } from '../src/base/terminal/progress.ts';
import { describeWriteFailure, findRegister, requireFreePath } from '../src/cli/arguments.ts';
import type { Register } from '../src/registers/contract.ts';
import type { SyntheticFile } from './file.ts';
import { generateFile, generateParties } from './generators.ts';
import { writeSynthetic } from './writers/write.ts';

export const command: Command = {
  arguments: '<register>',
  options: {
    rows: { type: 'string', description: 'Number of companies (default 1000).' },
    seed: { type: 'string', description: 'The same seed gives the same file (default 1).' },
    parties: {
      type: 'string',
      description: 'A file of the parties of these companies instead, such as relationships.',
    },
    out: { type: 'string', description: "Output file (default: the register's own file name, in the current folder)." },
  },
  help: `
Writes invented companies in the format of the register's newest official file, including its quirks. Use it for demos,
tests and benchmarks.`,
  examples: [
    ['generate lv --rows 50000 --out /tmp/register.csv', 'Write 50,000 invented companies of Latvia.'],
    ['generate gb --seed 7', 'Write 1,000 others, in the current folder.'],
    ['generate gleif --parties relationships', 'Write who owns whom among 1,000 invented companies.'],
  ],
  async run({ values, positionals }) {
    const [id] = positionals;
    if (id === undefined || positionals.length > 1) throw new UsageError('generate needs one register, such as gb.');
    const register = findRegister(id);
    const rows = parseNumber(values, 'rows', 1_000, 0);
    const file = chooseFile(register, values.parties, rows, parseNumber(values, 'seed', 1, 0));
    const out = typeof values.out === 'string' ? values.out : join('.', file.name);
    requireFreePath(out, file.name);
    const display = createDisplay();
    const text = `Writing ${basename(out)}`;
    const onBytes = (bytes: number) => display.update({ text, done: bytes });
    await writeSynthetic(dirname(out), { ...file, name: basename(out) }, onBytes)
      .catch(describeWriteFailure)
      .finally(display.end);
    const what = values.parties === undefined ? 'invented companies' : `invented companies' ${values.parties}`;
    process.stdout.write(`Wrote ${formatCount(rows)} ${what} to ${out}\n`);
  },
};

function chooseFile(register: Register, set: unknown, rows: number, seed: number): SyntheticFile {
  if (set === undefined) return generateFile(register, rows, seed);
  const files = generateParties(register, rows, seed);
  const names = Object.keys(files).join(' or ') || 'none for this register';
  return files[String(set)] ?? fail(`--parties names a file of parties: ${names}.`);
}

function fail(message: string): never {
  throw new UsageError(message);
}
