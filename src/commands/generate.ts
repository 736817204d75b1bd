import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeSynthetic } from '../formats/write.ts';
import { type Command, CommandError, readNumber, UsageError } from '../terminal/command.ts';
import { formatCount } from '../terminal/table.ts';
import { findRegister } from './register-argument.ts';

export const generate: Command = {
  name: 'generate',
  summary: "Write a synthetic file in a register's real format.",
  arguments: '<register>',
  options: {
    rows: { type: 'string', description: 'Number of companies (default 1000).' },
    seed: { type: 'string', description: 'The same seed gives the same file (default 1).' },
    out: { type: 'string', description: "Output file (default: the register's own file name, in the current folder)." },
  },
  help: `
Writes invented companies in the format of the register's newest official file, including its quirks. Use it for demos,
tests and benchmarks.`,
  async run({ values, positionals }) {
    const [id] = positionals;
    if (id === undefined || positionals.length > 1)
      throw new UsageError('generate takes one register, such as: generate gb');
    const register = findRegister(id);
    const rows = readNumber(values, 'rows', 1_000, 0);
    const file = register.generate(rows, readNumber(values, 'seed', 1, 0));
    const out = typeof values.out === 'string' ? values.out : join('.', file.name);
    if (existsSync(out)) throw new CommandError(`${out} already exists. Remove it or choose another file with --out.`);
    await writeSynthetic(dirname(out), { ...file, name: basename(out) });
    process.stdout.write(`Wrote ${formatCount(rows)} invented companies to ${out}\n`);
  },
};
