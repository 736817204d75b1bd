import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/clock.ts';
import type { Db, Snapshot } from '../base/db/db.ts';
import { takeLock } from '../base/db/lock.ts';
import type { StorePlace } from '../base/db/open.ts';
import { datasetOf, type ExportFormat, isPartyFormat } from '../base/export-formats.ts';
import { DEFAULT_PARTY_MODES, IN_RECORDS, listSetModes, type PartyModes } from '../base/party-modes.ts';
import { openThread, type Thread } from '../base/system/thread.ts';
import { nameSnapshot, parseVersion } from '../base/version.ts';
import type { Register } from '../registers/contract.ts';
import {
  findPartyContents,
  listStoredSets,
  type SelectedSet,
  writePartyCounts,
} from '../registry/parties/bulk/bulk.ts';
import { type Contents, describeRegister, findContents } from '../registry/records/bulk/bulk.ts';
import { SYNTHETIC } from '../registry/records/records.ts';
import type { ExportData, ExportEvents, ExportPart, ExportThread } from './export-worker.ts';
import {
  clearPartial,
  type ExportFile,
  FolderRefused,
  LICENCES,
  LOCK,
  loadManifest,
  MANIFEST,
  type Manifest,
  openPartial,
  publish,
  writeLicences,
} from './folder.ts';
import { formats } from './formats.ts';

/** Exports: files with all entities or parties of one version of the data. This folder owns the files; `registry/` renders records. */
export interface ExportOptions {
  readonly wanted: Wanted;
  readonly format: ExportFormat;
  folderOf(generation: number): string;
  readonly rowsPerFile: number;
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
  const manifest = describeExport(contents, selected, new Date(clock.now()).toISOString(), options);
  const folder = options.folderOf(manifest.generation);
  const existing = loadManifest(folder);
  if (existing !== undefined && areSame(existing, manifest)) {
    return { isNew: false, folder, manifest: existing, keptFiles: existing.files.length };
  }
  const partial = await openPartial(folder);
  using lock = takeLock(join(partial, LOCK));
  if (lock === null) throw new FolderRefused(`Another export is being written to ${folder}: wait until it has ended.`);
  return await writeExport({ ...options, contents, selected, manifest, folder, partial });
}

interface Writing extends ExportOptions {
  readonly contents: Contents;
  readonly selected: Selected;
  readonly manifest: Manifest;
  readonly folder: string;
  readonly partial: string;
}

async function writeExport(options: Writing): Promise<ExportResult | undefined> {
  const { contents, selected, folder, partial, format, rowsPerFile, signal } = options;
  const modes = options.parties ?? DEFAULT_PARTY_MODES;
  const dataset = datasetOf(format);
  const done = await resume(options);
  writeState(partial, done);
  let rows = done.files.reduce((sum, file) => sum + file.rows, 0);
  const report = (phase: ExportProgress['phase']) => options.onProgress?.({ phase, rows, totalRows: selected.rows });
  const onRows = (more: number) => {
    rows += more;
    report('writing');
  };
  await using threads = new AsyncDisposableStack();
  const open = (name: string, isWriter: boolean) =>
    threads.use(
      openThread<ExportThread, ExportEvents>(new URL('export-worker.ts', import.meta.url), {
        name,
        data: {
          location: options.location,
          format,
          isWriter,
          selection: { countries: selected.countries, registers: selected.registers.map(({ id }) => id) },
          sets: done.sets ?? [],
          counts: writePartyCounts(options.registers, modes),
          rowsPerFile,
          extension: formats[format].extension,
          registers: options.registers.map((register) => describeRegister(register, modes)),
        } satisfies ExportData,
        on: { rows: onRows },
        signal,
      }),
    );
  // The sorter opens its snapshot first: sorting takes longer than the start of the other threads, and may block its thread.
  const sorter = open('export: sort', false);
  const moments = [sorter.call('moment')];
  const first = sorter.call('nextPart');
  first.catch(() => undefined);
  const writers = Array.from({ length: options.threads }, () => open('export: write', true));
  moments.push(...writers.map((writer) => writer.call('moment')));
  for (const { version, numbering } of await Promise.all(moments)) {
    if (version !== contents.version || numbering !== contents.numbering) return undefined;
  }
  report('sorting');
  const counts = new Map(selected.registers.map(({ id }) => [id, 0]));
  const finished = new Map(done.files.map((file) => [file.path, file]));
  const paths: string[] = [];
  const parts = listParts(sorter, first);
  /** Writes one part after the other with one thread. All threads take their parts from the same list. */
  const writeParts = async (writer: Thread<ExportThread>) => {
    for await (const { path, country, keys, rows: byRegister } of parts) {
      for (const [register, count] of byRegister) counts.set(register, (counts.get(register) as number) + count);
      paths.push(path);
      if (finished.has(path)) continue;
      const written = await writer.call('write', join(partial, path), keys);
      finished.set(path, { path, country, rows: keys.length, ...written });
      writeState(partial, { ...done, files: [...finished.values()] });
    }
  };
  await Promise.all(writers.map(writeParts));
  await Promise.all([sorter, ...writers].map((thread) => thread.finish()));
  const files = paths.map((path) => finished.get(path) as ExportFile);
  const registers = done.registers.map((each) => ({ ...each, rows: counts.get(each.register) as number }));
  const manifest = { ...done, rows: files.reduce((sum, file) => sum + file.rows, 0), registers, files };
  mkdirSync(join(partial, dataset), { recursive: true });
  writeFileSync(join(partial, LICENCES), writeLicences(manifest), { mode: 0o600 });
  writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await publish(folder, dataset);
  return { isNew: true, folder, manifest, keptFiles: done.files.length };
}

/** The files to write, in order. The thread plans a file while the file before is written. */
async function* listParts(sorter: Thread<ExportThread>, first: Promise<ExportPart | undefined>) {
  for (let next = first, part = await next; part !== undefined; part = await next) {
    next = sorter.call('nextPart');
    // An error is reported when the part is awaited.
    next.catch(() => undefined);
    yield part;
  }
}

function describeExport(
  { version, synthetic, asOf }: Contents,
  { countries, registers, leftOut }: Selected,
  createdAt: string,
  { format, program, rowsPerFile, sets }: ExportOptions & { readonly sets: readonly SelectedSet[] },
): Manifest {
  const ids = new Set(registers.map(({ id }) => id));
  return {
    manifestVersion: 1,
    format,
    generation: parseVersion(version).generation,
    dataVersion: nameSnapshot(program, version),
    createdAt,
    program,
    rows: 0,
    countries: countries ?? null,
    rowsPerFile,
    ...(isPartyFormat(format) && { sets: sets.filter(({ register }) => ids.has(register)) }),
    includesUnknownLicences: registers.some(({ id, licenceUnknown }) => licenceUnknown && !synthetic.has(id)),
    leftOut,
    registers: registers.map((register) => {
      return { ...describeTerms(register, synthetic.has(register.id)), asOf: asOf.get(register.id) ?? null, rows: 0 };
    }),
    schema: formats[format].schema,
    files: [],
  };
}

function describeTerms({ id, publisher, licence, licenceUnknown, attribution }: Register, synthetic: boolean) {
  if (synthetic) return { register: id, ...SYNTHETIC, licenceKnown: true, attribution: null, synthetic };
  return { register: id, publisher, licence, licenceKnown: !licenceUnknown, attribution, synthetic };
}

/** Whether two manifests describe the same files, of which some may not be written yet. */
function areSame(one: Manifest, other: Manifest): boolean {
  const describe = (manifest: Manifest) => {
    const registers = manifest.registers.map((register) => ({ ...register, rows: 0 }));
    return JSON.stringify({ ...manifest, createdAt: '', rows: 0, registers, files: [] });
  };
  return describe(one) === describe(other);
}

/** The progress of an unfinished export: its manifest with the finished files, so that the next run keeps them. */
const STATE = '.state.json';

function writeState(folder: string, state: Manifest): void {
  const path = join(folder, STATE);
  writeFileSync(`${path}.tmp`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** The state from which an unfinished run of this export continues, or a new state. */
async function resume({ partial, manifest, onNote }: Writing): Promise<Manifest> {
  const state = loadManifest(partial, STATE);
  if (state !== undefined && areSame(state, manifest)) {
    const files = await Array.fromAsync(state.files, async (file) => ((await isIntact(partial, file)) ? file : []));
    onNote?.(`Continuing an unfinished export: ${files.flat().length} finished files are kept.`);
    return { ...state, files: files.flat() };
  }
  if (state !== undefined) {
    const isOther = state.dataVersion !== manifest.dataVersion;
    const reason = isOther ? `of generation ${state.generation}` : 'with other options';
    onNote?.(`An unfinished export ${reason} was found: starting over.`);
  }
  await clearPartial(partial);
  return manifest;
}

/** Whether a file still exists with the bytes that were written. */
async function isIntact(folder: string, { path, bytes, sha256 }: ExportFile): Promise<boolean> {
  const address = join(folder, path);
  const stats = await stat(address).catch(() => undefined);
  if (stats?.size !== bytes) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(address), hash);
  return hash.digest('hex') === sha256;
}

/** The requested countries and registers. A missing list selects all. */
export interface Wanted {
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly string[] | undefined;
  readonly includeUnknownLicences: boolean;
}

export interface Selected {
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly Register[];
  /** Registers with data of a publisher whose licence is unknown. */
  readonly leftOut: readonly string[];
  readonly rows: number;
}

/** Selects the registers that have entities of the requested countries. No publisher's licence applies to invented companies. */
function selectRegisters({ holdings, synthetic }: Contents, registers: readonly Register[], wanted: Wanted) {
  const countries = wanted.countries && [...new Set(wanted.countries)].sort();
  const held = holdings.filter(
    ({ country, register }) => (countries?.includes(country) ?? true) && (wanted.registers?.includes(register) ?? true),
  );
  const ids = new Set(held.map(({ register }) => register));
  const found = registers.filter(({ id }) => ids.has(id));
  const selected = found.filter(({ id, licenceUnknown }) => {
    return wanted.includeUnknownLicences || !licenceUnknown || synthetic.has(id);
  });
  const leftOut = found.filter((register) => !selected.includes(register)).map(({ id }) => id);
  const rows = held.filter(({ register }) => !leftOut.includes(register)).reduce((sum, one) => sum + one.entities, 0);
  return { countries, registers: selected, leftOut, rows };
}

function listAllowedSets(
  stored: readonly Pick<SelectedSet, 'register' | 'set'>[],
  registers: readonly Register[],
  modes: PartyModes,
): SelectedSet[] {
  const allowed = new Map(registers.map((register) => [register.id, listSetModes(modes, register)]));
  return stored.flatMap(({ register, set }) => {
    const { [IN_RECORDS]: general = 'off', [set]: mode = general } = allowed.get(register) ?? {};
    return mode === 'off' ? [] : { register, set, withPersons: mode === 'names' };
  });
}
