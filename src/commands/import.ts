import { statSync } from 'node:fs';
import { FormatError } from '../formats/rows.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { ImportRefused, type ImportResult, importFiles } from '../registry/import.ts';
import { describeProblem, TooManyBadRows } from '../registry/problems.ts';
import { type Command, CommandError, UsageError } from '../terminal/command.ts';
import { printable } from '../terminal/printable.ts';
import { createProgressDisplay } from '../terminal/progress.ts';
import { formatCount } from '../terminal/table.ts';
import { open } from './open.ts';
import { findRegister } from './register-argument.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import official files of a register.',
  arguments: '<register> <file…>',
  options: {
    'dry-run': { type: 'boolean', description: 'Do everything but publish.' },
    full: { type: 'boolean', description: 'The files are the whole register: what they lack is delisted.' },
    partial: { type: 'boolean', description: 'The files are a part: nothing is delisted.' },
    again: {
      type: 'boolean',
      description: 'Read the same files once more, as after an upgrade that understands more.',
    },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Reads the official files of one register (CSV, XLSX, JSON or XML; plain, zip or gzip), several at once where the
register publishes parts or code lists, and publishes them all or nothing. Running servers see the new data within two
seconds. The same file again changes nothing, unless --again is given. "firmament registers" lists the registers and
where their files are.`,
  async run({ values, positionals, signal }) {
    const [id, ...paths] = positionals;
    if (id === undefined || paths.length === 0) throw new UsageError('import needs a register and at least one file.');
    if (values.full && values.partial) throw new UsageError('--full and --partial exclude each other.');
    const register = findRegister(id);
    for (const path of paths) requireFile(path);
    const started = performance.now();
    const result = await runImport(register, paths, values, signal);
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(
      values.json ? `${JSON.stringify(result, null, 2)}\n` : renderResult(register, result, seconds),
    );
  },
};

async function runImport(
  register: Register,
  paths: readonly string[],
  values: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { services, close } = open();
  const display = createProgressDisplay();
  try {
    await services.requireSchema();
    const mode = values.full ? 'full' : values.partial ? 'partial' : undefined;
    return await importFiles(services.registryDb, services.clock, {
      register,
      registers,
      paths,
      dryRun: values['dry-run'] === true,
      again: values.again === true,
      ...(mode && { mode }),
      onProgress: display.update,
      onWait: () => display.note('Another import is writing: waiting for it to end …'),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped: nothing was changed.');
    const isMendable = [FormatError, ImportRefused, TooManyBadRows].some((kind) => error instanceof kind);
    throw isMendable ? new CommandError(printable((error as Error).message)) : error;
  } finally {
    display.end();
    await close();
  }
}

function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`There is no file ${path}.`);
  if (!stats.isFile()) throw new CommandError(`${path} is not a file: name the files themselves.`);
}

function renderResult(register: Register, result: ImportResult, seconds: number): string {
  const title = `${register.id}  ${register.name}: ${result.files.map(({ name }) => printable(name)).join(', ')}`;
  if (result.outcome === 'unchanged')
    return `${title}\nThis is what the register holds already: nothing to do (--again reads it all the same).\n`;
  const { rows, ...counts } = result.counts;
  const lines = [
    ['rows', formatCount(rows)],
    ...Object.entries(counts).map(([name, count]) => [name, formatCount(count)]),
    ...(result.unreadable > 0
      ? [['unreadable', `${formatCount(result.unreadable)} rows with a value that was not understood`]]
      : []),
    ...(result.withoutNumber > 0 ? [['no number', formatCount(result.withoutNumber)]] : []),
    ['speed', `${formatCount(Math.round(rows / seconds))} rows/s, ${seconds.toFixed(1)} s`],
    ['generation', result.generation === null ? 'not published (--dry-run)' : String(result.generation)],
  ];
  const table = lines.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${value}`).join('\n');
  const notes = [
    ...result.warnings.map((warning) => `Note: ${printable(warning)}`),
    ...(result.unknownColumns.length > 0
      ? [`New columns, kept in sourceData: ${result.unknownColumns.map(printable).join(', ')}`]
      : []),
    ...(result.problems.length > 0
      ? ['First problems:', ...result.problems.map((problem) => `  ${printable(describeProblem(problem))}`)]
      : []),
  ];
  return `${[title, table, ...notes].join('\n')}\n`;
}
