import { join } from 'node:path';
import { version } from '../config/config.ts';
import { importFiles } from '../importing/import.ts';
import { type ImportResult, isRefusal } from '../importing/import-result.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { readAddresses } from '../sources/state.ts';
import { type Command, CommandError, UsageError } from '../terminal/command.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { createProgressDisplay } from '../terminal/progress.ts';
import { requireFile } from './input/file-argument.ts';
import { findRegister } from './input/register-argument.ts';
import { open } from './open.ts';
import { renderImport } from './output/import-report.ts';

export const importCommand: Command = {
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
    process.stdout.write(values.json ? printableJson(result) : renderImport(register, result, seconds));
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
      addresses: await readAddresses(join(config.dataDir, 'sources'), register.id),
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
