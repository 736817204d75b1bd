import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { version } from '../base/config/config.ts';
import {
  datasetOf,
  type ExportFormat,
  entityFormats,
  exportFormats,
  isPartyFormat,
  partyFormats,
} from '../base/export-formats.ts';
import { formatCount } from '../base/format-count.ts';
import { lowerPriority } from '../base/system/priority.ts';
import {
  type Command,
  CommandError,
  describeUnknown,
  type Invocation,
  parseNumber,
  UsageError,
} from '../base/terminal/command.ts';
import { createDisplay, formatSize } from '../base/terminal/progress.ts';
import { print, printableJson, renderTable } from '../base/terminal/table.ts';
import { type ExportResult, exportEntities, ROWS_PER_FILE, type Selected } from '../exports/export.ts';
import { FolderRefused, type RemovedExport, removeOld } from '../exports/folder.ts';
import { removeExcess } from '../import/removal/remove-persons.ts';
import { registers } from '../registers/index.ts';
import type { Contents } from '../registry/records/bulk/bulk.ts';
import { open } from '../services/open.ts';
import { findCountry, findRegister } from './arguments.ts';

export const command: Command = {
  endsWithParent: true,
  options: {
    format: {
      type: 'string',
      description: `${entityFormats.join(', ')} (default parquet), or of parties: ${partyFormats.join(', ')}. NDJSON and bods are compressed with zstd.`,
    },
    country: { type: 'list', description: 'Only this country, such as GB. Name as many as needed.' },
    register: { type: 'list', description: 'Only this register, such as gb. Name as many as needed.' },
    out: { type: 'string', description: 'A new or empty folder, or one with an export, which is replaced.' },
    'include-unknown-licences': { type: 'boolean', description: 'Include registers whose licence is unknown.' },
    'rows-per-file': { type: 'string', description: `Entities per file (default ${ROWS_PER_FILE}).` },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Writes the entities of one generation of the data, delisted ones included, whatever imports run meanwhile: one folder per country
with files in the order of search results, a manifest with the SHA-256 of every file, and LICENCES.md. Without --out, the export
goes to EXPORT_DIR/<generation>/<format>, where servers offer it, and all but the newest two exports of each format are removed.

The formats of parties write who owns and manages companies, one folder per register, as far as PARTIES allows. bods writes statements of
the Beneficial Ownership Data Standard 0.4.

An export that was stopped continues where it was if neither the data nor the options have changed. Registers whose licence is
unknown are left out unless you use --include-unknown-licences. It runs with low priority; even so, the slowest requests of a server
on the same machine take about twice as long meanwhile.`,
  examples: [
    ['export', 'Write everything as Parquet to EXPORT_DIR.'],
    [
      'export --format csv --country LV --country EE --out baltic',
      'Write two countries as CSV to a folder of your own.',
    ],
    ['export --format ndjson --register gb --include-unknown-licences', 'Write one register as NDJSON.'],
    ['export --format bods --register gleif', 'Write who owns whom, according to GLEIF, as BODS statements.'],
  ],
  async run(invocation) {
    const { values } = invocation;
    const format = parseFormat(values.format);
    const started = performance.now();
    const { result, removed } = await runExport(invocation, format);
    const seconds = (performance.now() - started) / 1000;
    print(values.json ? printableJson(describeResult(result, removed)) : renderExport(result, removed, seconds));
  },
};

function parseFormat(text: string | boolean = 'parquet'): ExportFormat {
  const format = exportFormats.find((candidate) => candidate === text);
  if (format !== undefined) return format;
  throw new UsageError(describeUnknown('format', String(text), exportFormats));
}

/** The maximum number of threads: more were never measured, and each thread takes memory. */
const MAX_THREADS = 2;
/** The number of exports kept per format: a client can finish the download of one while the next one is written. */
const KEPT_EXPORTS = 2;

async function runExport(
  { values, lists, signal }: Invocation,
  format: ExportFormat,
): Promise<{ result: ExportResult; removed: readonly RemovedExport[] }> {
  const wanted = lists.register?.map((id) => findRegister(id).id);
  const rowsPerFile = parseNumber(values, 'rows-per-file', ROWS_PER_FILE);
  const out = typeof values.out === 'string' ? resolve(values.out) : undefined;
  await using opened = open();
  const { config, services } = opened;
  using display = createDisplay();
  lowerPriority();
  try {
    await services.requireSchema();
    await removeExcess(services.registryDb, registers, config.parties, display.note);
    const known = lists.country === undefined ? [] : await services.registry.listCountries();
    const codes = known.filter(({ enabled }) => enabled).map(({ code }) => code);
    const result = await exportEntities(services.registryDb, services.clock, {
      wanted: {
        countries: lists.country?.map((word) => findCountry(word, codes)),
        registers: wanted,
        includeUnknownLicences: values['include-unknown-licences'] === true,
      },
      format,
      folderOf: (generation) => out ?? join(config.exports.folder, String(generation), format),
      rowsPerFile,
      threads: Math.min(MAX_THREADS, availableParallelism()),
      program: version,
      registers,
      parties: config.parties,
      location: { databaseUrl: config.databaseUrl, dataDir: config.dataDir, timeLimits: config.timeLimits },
      check: (contents, selected) => requireRows(format, contents, selected),
      onProgress: ({ phase, rows, totalRows }) =>
        display.update(
          phase === 'sorting'
            ? { text: `Sorting ${formatCount(totalRows)} entities …` }
            : { text: 'Writing', done: rows, total: totalRows, unit: 'entities' },
        ),
      onNote: display.note,
      signal,
    });
    if (out !== undefined) return { result, removed: [] };
    return { result, removed: await removeOld(config.exports.folder, result.manifest.generation, KEPT_EXPORTS) };
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped. Run the same command again to continue.');
    throw describeFailure(error);
  }
}

function requireRows(format: ExportFormat, { holdings }: Contents, { registers: selected, leftOut }: Selected): void {
  if (selected.length > 0) return;
  if (holdings.length === 0) {
    const cause = isPartyFormat(format)
      ? 'no parties are imported, or PARTIES switches them off: see docs/guides/parties.md'
      : 'import a register first, see "firmament import --help"';
    throw new CommandError(`There is nothing to export: ${cause}.`);
  }
  if (leftOut.length === 0)
    throw new CommandError('There is nothing to export: no register has entities of these countries.');
  throw new CommandError(
    `There is nothing to export: the licence of ${leftOut.join(', ')} is unknown. --include-unknown-licences includes them.`,
  );
}

/** An error of the file system has a code, and its message names the file. */
function describeFailure(error: unknown): unknown {
  if (error instanceof FolderRefused) return new CommandError(error.message);
  const { code, message } = error instanceof Error && 'code' in error ? error : {};
  if (code === 'ENOSPC') {
    return new CommandError(
      'The disk is full: free some space and run the same command again; finished files are kept.',
    );
  }
  const isRefused = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(String(code));
  return isRefused ? new CommandError(`The export cannot be written: ${message}.`) : error;
}

function describeResult({ isNew, folder, manifest, keptFiles }: ExportResult, removed: readonly RemovedExport[]) {
  const { format, generation, rows, leftOut, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { isNew, folder, format, generation, rows, bytes, files: files.length, keptFiles, leftOut, removed };
}

function renderExport(result: ExportResult, removed: readonly RemovedExport[], seconds: number): string {
  const { folder, isNew } = result;
  const { format, leftOut, generation, rows, files } = result.manifest;
  const what = datasetOf(format);
  const sumOf = (parts: typeof files, key: 'rows' | 'bytes') => parts.reduce((sum, part) => sum + part[key], 0);
  // The files of parties are grouped by register, because some registers have no country.
  const byFolder = Map.groupBy(files, ({ path }) => path.split('/')[1]?.split('=')[1] ?? '');
  const table = renderTable(
    [what === 'parties' ? 'REGISTER' : 'COUNTRY', what.toUpperCase(), 'FILES', 'SIZE'],
    [...byFolder].map(([name, parts]) => [name, sumOf(parts, 'rows'), parts.length, formatSize(sumOf(parts, 'bytes'))]),
  );
  const notes = removed.map(({ generation, format, wasComplete }) => {
    return `Removed the ${wasComplete ? '' : 'unfinished '}${format} export of generation ${generation}.`;
  });
  if (leftOut.length > 0) {
    notes.push(
      `Left out, because the licence is unknown: ${leftOut.join(', ')}. Use --include-unknown-licences to include them.`,
    );
  }
  if (files.some(({ path }) => path.endsWith('.zst')))
    notes.push('The files are compressed: "zstd -dc <file>" prints one.');
  const size = formatSize(sumOf(files, 'bytes'));
  notes.push(
    isNew
      ? `Exported ${formatCount(rows)} ${what} of generation ${generation} in ${seconds.toFixed(1)} s, ${size}: ${folder}`
      : `This export exists already, nothing was written: ${folder}`,
  );
  return `${table}${notes.join('\n')}\n`;
}
