import { availableParallelism } from 'node:os';
import type { Register } from '../registers/contract.ts';
import { describeJoined, mapJoined } from './join.ts';
import { hasRecords, type MappedBatch, mapPart, readCodeTables, WHOLE } from './map-part.ts';
import type { Problems } from './problems.ts';
import { NotThisRegister, type Recognized, type RecognizedTable } from './recognize.ts';
import type { Layout } from './source-data.ts';

/** Parts that are mapped in one go: one that stands for itself, or the main tables with those that are joined to them. */
export interface Job {
  readonly main: readonly Recognized[];
  readonly joined: readonly RecognizedTable[];
}

/**
 * The same jobs in the same order for the same parts: two threads rely on it. Joined tables come in the order of the manifest,
 * so that a record is the same in whatever order the files are given.
 */
export function planJobs(parts: readonly Recognized[], { sources }: Register): Job[] {
  const main = parts.filter(hasRecords);
  const alone = main.filter((part) => !isJoining(part)).map((part): Job => ({ main: [part], joined: [] }));
  const joining = main.filter(isJoining);
  const rank = ({ source }: Recognized) => sources.findIndex(({ name }) => name === source.name);
  const joined = parts.filter(isJoined).sort((one, other) => rank(one) - rank(other));
  return joining.length === 0 ? alone : [...alone, { main: joining, joined }];
}

/**
 * Threads for reading and mapping. A record of a tree takes longer to map than to store, a row of a table about as long; a join
 * needs all rows in one place.
 */
export function countThreads(job: Job): number {
  const cores = availableParallelism();
  const isTable = job.main.every((part) => 'header' in part);
  return isJoinJob(job) ? 1 : Math.min(MOST_THREADS, isTable ? Math.max(1, cores - 1) : cores);
}

/** More were never tried, and each takes memory. */
const MOST_THREADS = 3;

export function listLayouts(job: Job): Layout[] {
  if (isJoinJob(job)) return describeJoined(job.main, job.joined);
  return job.main.flatMap((part) => ('header' in part ? [part.header.layout] : []));
}

export function mapJob(
  job: Job,
  register: Register,
  codes: unknown,
  problems: Problems,
  onBytes: (count: number) => void,
  share = WHOLE,
): AsyncGenerator<MappedBatch> {
  if (isJoinJob(job)) return mapJoined(job.main, job.joined, { register, codes, problems, onBytes });
  return mapPart(job.main[0] as Recognized, register, codes, problems, onBytes, share);
}

/** The look-ups of the register, unless its code tables say that these files are not to be imported. */
export async function readRegisterCodes(register: Register, parts: readonly Recognized[]): Promise<unknown> {
  const codes = register.readCodes(await readCodeTables(parts));
  const reason = register.refuse?.(codes) ?? null;
  if (reason !== null) throw new NotThisRegister(reason);
  return codes;
}

/** Joined tables that were not given: the required ones, without which nothing can be said, and the others. */
export function listMissing(register: Register, jobs: readonly Job[]): { required: string[]; others: string[] } {
  const job = jobs.find(({ main }) => main.some(({ source }) => source.kind === 'table' && source.key !== undefined));
  const given = new Set(job?.joined.map(({ source }) => source.name));
  const missing = job === undefined ? [] : register.sources.filter(({ name }) => !given.has(name));
  const [required, others]: [string[], string[]] = [[], []];
  for (const source of missing) {
    if (source.kind === 'table' && source.joins) (source.joins.required ? required : others).push(source.name);
  }
  return { required, others };
}

export function isJoinJob(job: Job): job is { main: RecognizedTable[]; joined: RecognizedTable[] } {
  return job.main.every(isJoining);
}

function isJoining(part: Recognized): part is RecognizedTable {
  return 'header' in part && (part.source.key ?? part.source.gather) !== undefined && hasRecords(part);
}

function isJoined(part: Recognized): part is RecognizedTable {
  return 'header' in part && part.source.joins !== undefined;
}
