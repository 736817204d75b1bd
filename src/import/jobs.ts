import { availableParallelism } from 'node:os';
import type { SetModes } from '../base/party-modes.ts';
import { FormatError } from '../formats/rows.ts';
import type { Register } from '../registers/contract.ts';
import type { Layout } from '../registry/records/source-data.ts';
import {
  ALL_ROWS,
  type CodeTables,
  type MappedBatch,
  type MapTools,
  mapParties,
  mapRecords,
} from './mapping/map-rows.ts';
import { listJoinLayouts, mapJoined } from './reading/join.ts';
import { FileRefused, hasParties, hasRecords, isTable, type Part, type TablePart } from './reading/part.ts';
import { recognizeFile } from './reading/recognize.ts';

/** Parts that are mapped together: a single part, or the main tables with the tables that are joined to them. */
export interface Job {
  readonly main: readonly Part[];
  readonly joined: readonly TablePart[];
}

/** Joined tables are in the order of the manifest, so that the order of the files makes no difference to a record. */
export function planJobs(parts: readonly Part[], { sources }: Register): Job[] {
  const main = parts.filter(hasRecords);
  const single = main.filter((part) => !isJoining(part)).map((part): Job => ({ main: [part], joined: [] }));
  const joining = main.filter(isJoining);
  const rank = ({ source }: Part) => sources.findIndex(({ name }) => name === source.name);
  const joined = parts.filter(isJoined).sort((one, other) => rank(one) - rank(other));
  return joining.length === 0 ? single : [...single, { main: joining, joined }];
}

/** The parts of a job by their names, for a thread, which opens the files again. */
export interface JobPlan {
  readonly main: readonly PartName[];
  readonly joined: readonly PartName[];
}

type PartName = Pick<Part, 'file' | 'entry'>;

/** Undefined when the job has a sheet: two threads would each hold the workbook's shared strings in memory. */
export function describeJob({ main, joined }: Job): JobPlan | undefined {
  if ([...main, ...joined].some((part) => isTable(part) && part.dialect === null)) return undefined;
  const name = ({ file, entry }: Part): PartName => ({ file, entry });
  return { main: main.map(name), joined: joined.map(name) };
}

export async function openJob({ main, joined }: JobPlan, register: Register): Promise<Job & AsyncDisposable> {
  const files = new Set([...main, ...joined].map(({ file }) => file));
  const opened = await Promise.all(Array.from(files, (file) => recognizeFile(file, register)));
  const parts = opened.flatMap((file) => file.parts);
  const find = ({ file, entry }: PartName): Part => {
    const found = parts.find((part) => part.file === file && part.entry === entry);
    if (found === undefined) throw new FormatError('the files changed during the import: run it again');
    return found;
  };
  return {
    main: main.map(find),
    joined: joined.map(find).filter(isTable),
    async [Symbol.asyncDispose]() {
      for (const { close } of opened) await close();
    },
  };
}

/** The maximum, because each thread takes memory and more threads were never measured. */
const MAX_THREADS = 3;

/**
 * The number of threads for reading and mapping. Mapping a tree takes longer than storing it; mapping a table row takes
 * about as long, so one core is left for the writer. A join needs all rows in one thread. Reading a file of parties takes longer than mapping
 * organisations. With persons, mapping takes longer than writing, but on two cores a second thread takes more time from the writer than
 * the thread saves.
 */
export function countThreads(job: Job, modes: SetModes): number {
  if (isJoinJob(job)) return 1;
  const cores = availableParallelism();
  const [part] = job.main;
  if (isOfParties(job)) return modes[part?.source.parties?.set ?? ''] === 'names' && cores > 2 ? 2 : 1;
  return Math.min(MAX_THREADS, job.main.every(isTable) ? Math.max(1, cores - 1) : cores);
}

export function listLayouts(job: Job): Layout[] {
  if (isJoinJob(job)) return listJoinLayouts(job.main, job.joined);
  return job.main.filter(isTable).map(({ header }) => header.layout);
}

export function isOfParties({ main: [part] }: Job): boolean {
  return part !== undefined && hasParties(part);
}

/** Maps the rows of a job: to parties if the job has files of parties, or else to records. */
export function mapJob(job: Job, tools: MapTools, share = ALL_ROWS): AsyncGenerator<MappedBatch> {
  const [part] = job.main as [Part];
  if (isJoinJob(job)) return mapJoined(job.main, job.joined, tools);
  return (isOfParties(job) ? mapParties : mapRecords)(part, tools, share);
}

/** Builds the register's code lookups. Throws if the code tables show that the files must not be imported. */
export function buildCodes(register: Register, tables: CodeTables): unknown {
  const codes = register.readCodes(tables);
  const reason = register.refuse?.(codes) ?? null;
  if (reason !== null) throw new FileRefused(reason);
  return codes;
}

/** The names of tables that the import needs and that were not given, and a sentence for each optional table. */
export function listMissing({ sources }: Register, parts: readonly Part[]): { required: string[]; optional: string[] } {
  const missing = { required: [] as string[], optional: [] as string[] };
  const given = new Set(parts.map(({ source }) => source.name));
  const isJoin = parts.some(({ source }) => source.kind === 'table' && source.key !== undefined);
  for (const source of sources) {
    if (source.kind !== 'table' || source.map !== undefined || given.has(source.name)) continue;
    const { name, joins, without = joins && 'records lack its data' } = source;
    if (joins !== undefined && !isJoin) continue;
    if (joins?.required) missing.required.push(name);
    else if (without !== undefined) missing.optional.push(`no "${name}" file was given: ${without}`);
  }
  return missing;
}

/** Describes tables that the publisher splits alike, but that were given with different numbers of files; null if there are none. */
export function describeUnpaired({ sources }: Register, parts: readonly Part[]): string | null {
  const main = parts.filter((part) => isTable(part) && hasRecords(part) && part.source.key !== undefined);
  const paired = sources.filter((source) => source.kind === 'table' && source.joins?.paired);
  const counts = paired.map(({ name }) => [name, parts.filter(({ source }) => source.name === name).length] as const);
  const [wrong] = counts.filter(([, count]) => count !== main.length);
  if (main.length === 0 || wrong === undefined) return null;
  const given = main.length === 1 ? '1 file' : `${main.length} files`;
  return (
    `${given} with "${main[0]?.source.name}" ${main.length === 1 ? 'was' : 'were'} given, but ${wrong[1]} with "${wrong[0]}". ` +
    'The publisher splits both into the same number of files: name all files of one release in one command.'
  );
}

export function isJoinJob(job: Job): job is { main: TablePart[]; joined: TablePart[] } {
  return job.main.every(isJoining);
}

function isJoining(part: Part): part is TablePart {
  return isTable(part) && hasRecords(part) && (part.source.key ?? part.source.gather) !== undefined;
}

function isJoined(part: Part): part is TablePart {
  return isTable(part) && part.source.joins !== undefined;
}
