import { join } from 'node:path';
import { version } from '../base/config/config.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { print, printable, printableJson } from '../base/terminal/printable.ts';
import { createProgressDisplay } from '../base/terminal/progress.ts';
import { listAddresses } from '../import/fetch/state.ts';
import { importFiles } from '../import/import.ts';
import type { ImportResult, PartyCounts } from '../import/import-result.ts';
import { describeProblem, isRefusal } from '../import/mapping/problems.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import type { UnknownValue } from '../registry/records/imports/unknown-values.ts';
import { open } from '../services/open.ts';
import { findRegister, requireFile } from './arguments.ts';

export const command: Command = {
  name: 'import',
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
  using display = createProgressDisplay();
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
      onProgress: display.update,
      onWait: () => display.note('Waiting for another import to finish …'),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped: nothing was changed.');
    throw isRefusal(error) ? new CommandError(printable(error.message)) : error;
  }
}

function renderImport(register: Register, result: ImportResult, seconds: number): string {
  const title = `${register.id}  ${register.name}: ${result.files.map(({ name }) => printable(name)).join(', ')}`;
  if (result.outcome === 'unchanged') return `${title}\nAlready imported: nothing to do. Use --again to re-import.\n`;
  const table = listCounts(result, seconds).map(([name, value]) => `  ${name.padEnd(11)} ${value}`);
  return `${[title, ...table, ...listNotes(result)].join('\n')}\n`;
}

function listCounts(result: ImportResult, seconds: number): [name: string, value: string][] {
  const { skipped, rejected, ...counts } = result.counts;
  const rows = counts.rows + (result.parties?.rows ?? 0);
  const reasons = result.skipped.map(({ reason, rows }) => `${formatCount(rows)} ${printable(reason)}`).join(', ');
  return [
    ...(counts.rows > 0 || result.parties === undefined ? showCounts(counts) : []),
    ...(result.parties === undefined ? [] : [['parties', describeParties(result.parties)] as [string, string]]),
    ['rejected', formatCount(rejected)],
    ...showIf(skipped > 0, 'skipped', `${formatCount(skipped)} (rows that are not companies: ${reasons})`),
    ...showIf(
      result.unreadable > 0,
      'unreadable',
      `${formatCount(result.unreadable)} (rows with a value that could not be read)`,
    ),
    ...showIf(result.withoutNumber > 0, 'no number', formatCount(result.withoutNumber)),
    ['speed', `${formatCount(Math.round(rows / seconds))} rows/s, ${seconds.toFixed(1)} s`],
    ['generation', result.generation === null ? 'not published (--dry-run)' : String(result.generation)],
  ];
}

function showCounts(counts: object): [name: string, value: string][] {
  return Object.entries(counts).map(([name, count]) => [name, formatCount(count)]);
}

function describeParties({ rows, ...counts }: PartyCounts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  return `${formatCount(rows)} rows: ${parts.join(', ')}`;
}

function showIf(condition: boolean, name: string, value: string): [name: string, value: string][] {
  return condition ? [[name, value]] : [];
}

function listNotes({ warnings, unknownColumns, unknownValues, problems }: ImportResult): string[] {
  return [
    ...warnings.map((warning) => `Note: ${printable(warning)}`),
    ...(unknownColumns.length > 0
      ? [`New columns, kept in sourceData: ${unknownColumns.map(printable).join(', ')}`]
      : []),
    ...(unknownValues.length > 0 ? ['Values that the register does not know:', ...listUnknown(unknownValues)] : []),
    ...(problems.length > 0
      ? ['First problems:', ...problems.map((problem) => `  ${printable(describeProblem(problem))}`)]
      : []),
  ];
}

const MAX_UNKNOWN_SHOWN = 20;

function listUnknown(values: readonly UnknownValue[]): string[] {
  const shown = values.slice(0, MAX_UNKNOWN_SHOWN).map(({ kind, column, value, rows }) => {
    const what = value === null ? 'other values' : printable(JSON.stringify(value));
    return `  ${kind} ${printable(column)} ${what}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  });
  const more = values.length - shown.length;
  return more > 0
    ? [...shown, `  and ${formatCount(more)} more: firmament registers --unknown lists all of them`]
    : shown;
}
