import { join } from 'node:path';
import { version } from '../base/config/config.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { createDisplay, describeRows } from '../base/terminal/progress.ts';
import { print, printable, printableJson } from '../base/terminal/table.ts';
import { listAddresses } from '../import/fetch/state.ts';
import { importFiles } from '../import/import.ts';
import type { ImportResult } from '../import/import-result.ts';
import { describeProblem, isRefusal } from '../import/mapping/problems.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { open } from '../services/open.ts';
import { findRegister, requireFile } from './arguments.ts';

export const command: Command = {
  arguments: '<register> <file…>',
  options: {
    'dry-run': { type: 'boolean', description: 'Read and check the files without publishing them.' },
    full: { type: 'boolean', description: 'The files are the complete register: companies they lack are delisted.' },
    partial: { type: 'boolean', description: 'The files are a part of the register: nothing is delisted.' },
    again: { type: 'boolean', description: 'Re-import files that did not change since the last import.' },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Reads the official files of one register (CSV, XLSX, JSON or XML; plain, zip or gzip) and publishes them in one step: all
or nothing. If the register has several files or code lists, name them all in one command. Running servers see the new
data within two seconds. Importing the same files again does nothing, unless you upgraded Firmament in between or use
--again. "firmament registers" lists the registers and where to download their files.`,
  examples: [
    ['import lv register.csv', 'Import the file of Latvia.'],
    ['import lv register.csv --dry-run', 'Check the file and change nothing.'],
    ['import be KboOpenData.zip --full', 'Delist all companies that the file lacks.'],
  ],
  async run({ values, positionals, signal }) {
    const [id, ...paths] = positionals;
    if (id === undefined || paths.length === 0) throw new UsageError('import needs a register and at least one file.');
    if (values.full && values.partial) throw new UsageError('Use either --full or --partial, not both.');
    const register = findRegister(id);
    for (const path of paths) requireFile(path);
    const started = performance.now();
    const result = await runImport(register, paths, values, signal);
    const seconds = (performance.now() - started) / 1000;
    print(values.json ? printableJson(result) : renderImport(register, result, seconds));
  },
};

async function runImport(
  register: Register,
  paths: readonly string[],
  values: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ImportResult> {
  await using opened = open();
  const { config, services } = opened;
  using display = createDisplay();
  try {
    await services.requireSchema();
    const mode = values.full ? 'full' : values.partial ? 'partial' : undefined;
    return await importFiles(services.registryDb, services.clock, {
      register,
      registers,
      paths,
      dryRun: values['dry-run'] === true,
      again: values.again === true,
      parties: config.parties,
      program: version,
      addresses: await listAddresses(join(config.dataDir, 'sources'), register.id),
      ...(mode && { mode }),
      onProgress: (progress) => display.update(describeRows(progress)),
      onWait: () => display.note('Waiting for another import to finish …'),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped: nothing was changed.');
    throw isRefusal(error) ? new CommandError(printable(error.message)) : error;
  }
}

function renderImport(register: Register, result: ImportResult, seconds: number): string {
  const { files, outcome, counts, parties, skipped, unreadable, withoutNumber, generation } = result;
  const title = `${register.id}  ${register.name}: ${files.map(({ name }) => printable(name)).join(', ')}`;
  if (outcome === 'unchanged') return `${title}\nAlready imported: nothing to do. Use --again to re-import.\n`;
  const lines = [title];
  const add = (name: string, value: string) => lines.push(`  ${name.padEnd(11)} ${value}`);
  const { skipped: skippedRows, rejected, ...stored } = counts;
  if (counts.rows > 0 || parties === undefined) {
    for (const [name, count] of Object.entries(stored)) add(name, formatCount(count));
  }
  if (parties !== undefined) {
    const { rows, ...changes } = parties;
    const parts = Object.entries(changes).map(([name, count]) => `${formatCount(count)} ${name}`);
    add('parties', `${formatCount(rows)} rows: ${parts.join(', ')}`);
  }
  add('rejected', formatCount(rejected));
  if (skippedRows > 0) {
    const reasons = skipped.map(({ reason, rows }) => `${formatCount(rows)} ${printable(reason)}`).join(', ');
    add('skipped', `${formatCount(skippedRows)} (rows that are not companies: ${reasons})`);
  }
  if (unreadable > 0) add('unreadable', `${formatCount(unreadable)} (rows with a value that could not be read)`);
  if (withoutNumber > 0) add('no number', formatCount(withoutNumber));
  const speed = Math.round((counts.rows + (parties?.rows ?? 0)) / seconds);
  add('speed', `${formatCount(speed)} rows/s, ${seconds.toFixed(1)} s`);
  add('generation', generation === null ? 'not published (--dry-run)' : String(generation));
  return `${[...lines, ...listNotes(result)].join('\n')}\n`;
}

function listNotes({ warnings, unknownColumns, unknownValues, problems }: ImportResult): string[] {
  const notes = warnings.map((warning) => `Note: ${warning}`);
  if (unknownColumns.length > 0) notes.push(`New columns, kept in sourceData: ${unknownColumns.join(', ')}`);
  if (unknownValues.length > 0) notes.push('Values that the register does not know:');
  for (const { kind, column, value, rows } of unknownValues.slice(0, MAX_UNKNOWN_SHOWN)) {
    const what = value === null ? 'other values' : JSON.stringify(value);
    notes.push(`  ${kind} ${column} ${what}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`);
  }
  const more = unknownValues.length - MAX_UNKNOWN_SHOWN;
  if (more > 0) notes.push(`  and ${formatCount(more)} more: firmament registers --unknown lists all of them`);
  if (problems.length > 0) notes.push('First problems:');
  notes.push(...problems.map((problem) => `  ${describeProblem(problem)}`));
  return notes.map(printable);
}

const MAX_UNKNOWN_SHOWN = 20;
