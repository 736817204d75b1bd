import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Db, Snapshot } from '../base/db/db.ts';
import type { StorePlace } from '../base/db/open.ts';
import { datasetOf, type ExportFormat, isPartyFormat } from '../base/export-formats.ts';
import { DEFAULT_PARTY_MODES, type PartyModes } from '../base/party-modes.ts';
import { takeLock } from '../base/system/lock.ts';
import { nameSnapshot, parseVersion } from '../base/version.ts';
import type { Register } from '../registers/contract.ts';
import {
  findPartyContents,
  listStoredSets,
  type SelectedSet,
  writePartyCounts,
} from '../registry/parties/bulk/bulk.ts';
import { type Contents, describeRegister, findContents } from '../registry/records/bulk/bulk.ts';
import { SYNTHETIC } from '../registry/records/provenance.ts';
import { clearPartial, FolderRefused, LOCK, loadManifest, openPartial, publish } from './folder.ts';
import { formats } from './formats.ts';
import { type ExportFile, LICENCES, MANIFEST, type Manifest, writeLicences } from './manifest.ts';
import { listAllowedSets, type Selected, selectRegisters, type Wanted } from './selection.ts';
import {
  areSame,
  type ExportSettings,
  type ExportState,
  keepIntact,
  loadState,
  settingsOf,
  writeState,
} from './state.ts';
import { openThreads } from './threads.ts';

/**
 * Exports: files with all entities or all parties of one version of the data, for tools that read Parquet, NDJSON or CSV. This folder owns the files.
 * `registry/` defines and renders records.
 */
export interface ExportOptions {
  readonly wanted: Wanted;
  readonly format: ExportFormat;
  /** Returns the folder for a generation of the data. */
  folderOf(generation: number): string;
  readonly rowsPerFile: number;
  /** How many threads write files. */
  readonly threads: number;
  readonly program: string;
  readonly registers: readonly Register[];
  readonly location: StorePlace;
  /** Which parties of companies are written. Default: all. */
  readonly parties?: PartyModes;
  /** Called before anything is written. Throws to refuse the export. */
  check?(contents: Contents, selected: Selected): void;
  onProgress?(progress: ExportProgress): void;
  onNote?(text: string): void;
  readonly signal?: AbortSignal;
}

interface ExportProgress {
  readonly phase: 'sorting' | 'writing';
  readonly rows: number;
  readonly totalRows: number;
}

export interface ExportResult {
  /** False if the folder already contained this export. */
  readonly isNew: boolean;
  readonly folder: string;
  readonly manifest: Manifest;
  /** The number of files kept from an earlier run. */
  readonly keptFiles: number;
}

export const ROWS_PER_FILE = 100_000;

/** Each try fails only if an import is published while the threads start. */
const MAX_TRIES = 5;

export async function exportEntities(db: Db, clock: Clock, options: ExportOptions): Promise<ExportResult> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { contents, sets } = await db.snapshot((view) => findWhat(view, options));
    const result = await tryToExport(contents, clock, { ...options, sets });
    if (result !== undefined) return result;
  }
  throw new Error('imports were published during every attempt to start the export');
}

/** Finds the contents of the store, and the sets of parties to export. */
async function findWhat(view: Snapshot, { format, registers, parties = DEFAULT_PARTY_MODES }: ExportOptions) {
  if (!isPartyFormat(format)) return { contents: await findContents(view), sets: [] };
  const sets = listAllowedSets(await listStoredSets(view), registers, parties);
  return { contents: await findPartyContents(view, registers, sets), sets };
}

/** Returns undefined if an import was published while the threads started. */
async function tryToExport(
  contents: Contents,
  clock: Clock,
  options: ExportOptions & { readonly sets: readonly SelectedSet[] },
): Promise<ExportResult | undefined> {
  const selected = selectRegisters(contents, options.registers, options.wanted);
  options.check?.(contents, selected);
  const { generation } = parseVersion(contents.version);
  const folder = options.folderOf(generation);
  const isSelected = (register: string) => selected.registers.some(({ id }) => id === register);
  const settings: ExportSettings = {
    version: contents.version,
    program: options.program,
    format: options.format,
    countries: selected.countries ?? null,
    registers: selected.registers.map(({ id }) => id),
    rowsPerFile: options.rowsPerFile,
    ...(isPartyFormat(options.format) && { sets: options.sets.filter(({ register }) => isSelected(register)) }),
  };
  const existing = findExport(folder, settings);
  if (existing !== undefined) return { isNew: false, folder, manifest: existing, keptFiles: existing.files.length };
  const partial = await openPartial(folder);
  const lock = await takeLock(join(partial, LOCK), clock);
  if (lock === null) throw new FolderRefused(`Another export is being written to ${folder}: wait until it has ended.`);
  try {
    return await writeExport(clock, { ...options, contents, selected, settings, folder, partial });
  } finally {
    await lock.release();
  }
}

interface Writing extends ExportOptions {
  readonly contents: Contents;
  readonly selected: Selected;
  readonly settings: ExportSettings;
  readonly folder: string;
  readonly partial: string;
}

async function writeExport(clock: Clock, options: Writing): Promise<ExportResult | undefined> {
  const { contents, selected, settings, folder, partial, signal } = options;
  const { format, rowsPerFile } = settings;
  const modes = options.parties ?? DEFAULT_PARTY_MODES;
  const dataset = datasetOf(format);
  const done = await resume(clock, options);
  writeState(partial, done);
  let rows = done.files.reduce((sum, file) => sum + file.rows, 0);
  const report = (phase: ExportProgress['phase']) => options.onProgress?.({ phase, rows, totalRows: selected.rows });
  const onRows = (more: number) => {
    rows += more;
    report('writing');
  };
  const threads = await openThreads(contents, {
    ...options,
    selection: { countries: selected.countries, registers: settings.registers },
    sets: settings.sets ?? [],
    counts: writePartyCounts(options.registers, modes),
    parts: { dataset, rowsPerFile, extension: formats[format].extension },
    registers: options.registers.map((register) => describeRegister(register, modes)),
    writers: options.threads,
    onRows,
  });
  if (threads === undefined) return undefined;
  try {
    report('sorting');
    const counts = new Map(selected.registers.map(({ id }) => [id, 0]));
    const finished = new Map(done.files.map((file) => [file.path, file]));
    const paths: string[] = [];
    for await (const { path, country, keys, rows: byRegister } of threads.parts()) {
      for (const [register, count] of byRegister) counts.set(register, (counts.get(register) as number) + count);
      paths.push(path);
      if (finished.has(path)) continue;
      await threads.start({ path: join(partial, path), keys }, (part) => {
        finished.set(path, { path, country, rows: keys.length, ...part });
        writeState(partial, { ...done, files: [...finished.values()] });
      });
      signal?.throwIfAborted();
    }
    await threads.finish();
    const files = paths.map((path) => finished.get(path) as ExportFile);
    const manifest = describeExport({ settings, selected, contents, counts, files, createdAt: done.createdAt });
    // A country without entities has no folder.
    mkdirSync(join(partial, dataset), { recursive: true });
    writeFileSync(join(partial, LICENCES), writeLicences(manifest), { mode: 0o600 });
    writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await publish(folder, dataset);
    return { isNew: true, folder, manifest, keptFiles: done.files.length };
  } finally {
    await threads.close();
  }
}

/** Returns the folder's complete export if it has these settings. */
function findExport(folder: string, settings: ExportSettings): Manifest | undefined {
  const manifest = loadManifest(folder);
  return manifest !== undefined && areSame(settingsOf(manifest), settings) ? manifest : undefined;
}

/** The state from which an unfinished run of this export continues, or a new state. */
async function resume(clock: Clock, { partial, settings, onNote }: Writing): Promise<ExportState> {
  const state = loadState(partial);
  if (state !== undefined && areSame(state.settings, settings)) {
    const files = await keepIntact(partial, state.files);
    onNote?.(`Continuing an unfinished export: ${files.length} finished files are kept.`);
    return { ...state, files };
  }
  if (state !== undefined) {
    const isOther = state.settings.version !== settings.version;
    const reason = isOther ? `of generation ${parseVersion(state.settings.version).generation}` : 'with other options';
    onNote?.(`An unfinished export ${reason} was found: starting over.`);
  }
  await clearPartial(partial);
  return { settings, createdAt: new Date(clock.now()).toISOString(), files: [] };
}

interface Exported {
  readonly settings: ExportSettings;
  readonly selected: Selected;
  readonly contents: Contents;
  readonly counts: ReadonlyMap<string, number>;
  readonly files: readonly ExportFile[];
  readonly createdAt: string;
}

function describeExport({ settings, selected, contents, counts, files, createdAt }: Exported): Manifest {
  const { format, program, countries, rowsPerFile, sets, version } = settings;
  const registers = selected.registers.map((register) => ({
    ...describeTerms(register, contents.synthetic.has(register.id)),
    asOf: contents.asOf.get(register.id) ?? null,
    rows: counts.get(register.id) as number,
  }));
  return {
    manifestVersion: 1,
    format,
    generation: parseVersion(version).generation,
    dataVersion: nameSnapshot(program, version),
    createdAt,
    program,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    countries,
    rowsPerFile,
    ...(sets && { sets }),
    includesUnknownLicences: registers.some(({ licenceKnown }) => !licenceKnown),
    leftOut: selected.leftOut,
    registers,
    schema: formats[format].schema,
    files,
  };
}

function describeTerms({ id, publisher, licence, licenceUnknown, attribution }: Register, synthetic: boolean) {
  if (synthetic) return { register: id, ...SYNTHETIC, licenceKnown: true, attribution: null, synthetic };
  return { register: id, publisher, licence, licenceKnown: !licenceUnknown, attribution, synthetic };
}
