import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Db, Transaction } from '../db/db.ts';
import { hashFile } from '../formats/unpack.ts';
import type { Register } from '../registers/contract.ts';
import {
  countThreads,
  isJoinJob,
  type Job,
  listLayouts,
  listMissing,
  mapJob,
  planJobs,
  readRegisterCodes,
} from './jobs.ts';
import { mapJobInThreads } from './map-thread.ts';
import { createMerge } from './merge.ts';
import { createProblems, type Problem, type Problems } from './problems.ts';
import { type OpenedFile, type Recognized, recognizeFile } from './recognize.ts';
import {
  type ImportCounts,
  type ImportedFile,
  keepLayout,
  raiseGeneration,
  readLatestFiles,
  readLatestRows,
  recordImport,
  takeFileNumbers,
} from './store.ts';

/**
 * The import: recognize → stream → map → check → write, all in one transaction, which is the staging area: until it
 * commits nobody sees anything, and whatever fails or kills it leaves the data as it was.
 */
export interface ImportOptions {
  readonly register: Register;
  /** All registers, to say which one a wrong file belongs to. */
  readonly registers: readonly Register[];
  readonly paths: readonly string[];
  /** `partial` adds and changes but delists nothing. Undefined: full, unless that looks like a mistake. */
  readonly mode?: 'full' | 'partial';
  readonly dryRun?: boolean;
  /** Also when it is what was imported last, as after an upgrade that understands more of it. */
  readonly again?: boolean;
  /** Invented data of ours: said so in every record's provenance. */
  readonly synthetic?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly onWait?: () => void;
  readonly signal?: AbortSignal;
}

export interface Progress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface ImportResult {
  readonly register: string;
  readonly outcome: 'published' | 'unchanged' | 'dry-run';
  readonly mode: 'full' | 'partial';
  readonly generation: number | null;
  readonly files: ReadonlyArray<{ readonly name: string; readonly hash: string }>;
  readonly counts: ImportCounts;
  readonly unreadable: number;
  readonly withoutNumber: number;
  readonly unknownColumns: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** The import cannot go on as asked; the message says what to do. */
export class ImportRefused extends Error {}

class DryRun extends Error {}

/** Below this a thread takes longer to start than the file to read. */
const WORTH_A_THREAD = 4 * 1024 * 1024;

export async function importFiles(db: Db, clock: Clock, options: ImportOptions): Promise<ImportResult> {
  const { register, paths, dryRun = false } = options;
  const stamps = paths.map(stampOf);
  const hashes = await Promise.all(paths.map((path) => hashFile(path)));
  const files = paths.map((path, index) => ({ name: basename(path), hash: hashes[index] ?? '' }));
  const latest = await readLatestFiles(db, register.id);
  // A whole file holds what a part of it would bring; the other way round there may be something to delist.
  const isDone = latest?.mode === 'full' || latest?.mode === options.mode;
  if (isDone && !options.again && latest?.hashes.join() === [...hashes].sort().join()) {
    return describeUnchanged(options, files);
  }

  const opened: OpenedFile[] = [];
  try {
    for (const path of paths) opened.push(await recognizeFile(path, register, options.registers));
    const parts = opened.flatMap((file) => file.parts);
    const leftOut = opened.flatMap((file) => file.leftOut);
    const inThreads = parts.every(isStream) && paths.some((path) => statSync(path).size >= WORTH_A_THREAD);
    const jobs = planJobs(parts, register);
    const names = files.map(({ name }) => name).join(', ');
    if (jobs.length === 0)
      throw new ImportRefused(`${names}: only tables about companies, not the one that lists them.`);
    const missing = listMissing(register, jobs);
    if (missing.required.length > 0) {
      throw new ImportRefused(`${names}: needed too: ${missing.required.join(', ')}. Give all files in one import.`);
    }
    const patiently = { patient: true, ...(options.onWait && { onWait: options.onWait }) };
    const firstFile = await db.transaction((tx) => takeFileNumbers(tx, paths.length), patiently);
    const numbered = files.map((file, index) => ({ ...file, id: firstFile + index }));
    const result: { value?: ImportResult } = {};
    try {
      await db.transaction(async (tx) => {
        result.value = await writeImport(tx, clock, options, {
          parts,
          leftOut,
          jobs,
          inThreads,
          files: numbered,
          firstFile,
        });
        const changed = paths.find((path, index) => stampOf(path) !== stamps[index]);
        if (changed !== undefined)
          throw new ImportRefused(`${basename(changed)} changed while it was read: try again.`);
        if (dryRun) throw new DryRun();
      }, patiently);
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
    }
    return result.value as ImportResult;
  } finally {
    for (const file of opened) await file.close();
  }
}

/** Changes when the file does: what is stored must be what was hashed, and threads open it once more. */
function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Not a sheet: a thread would hold the workbook's texts once more, 478 MB instead of 344 for 300 000 rows. */
function isStream(part: Recognized): boolean {
  return !('header' in part && part.kind === 'sheet');
}

interface Input {
  readonly parts: readonly Recognized[];
  readonly leftOut: readonly string[];
  readonly jobs: readonly Job[];
  /** Whether the parts are read and mapped by other threads. */
  readonly inThreads: boolean;
  readonly files: readonly ImportedFile[];
  /** Number of the first file: what has it or a higher one was written by this import. */
  readonly firstFile: number;
}

async function writeImport(
  tx: Transaction,
  clock: Clock,
  options: ImportOptions,
  { parts, leftOut, jobs, inThreads, files, firstFile }: Input,
): Promise<ImportResult> {
  const { register, paths, dryRun = false, synthetic = false } = options;
  if (!(await tx.claim(`import ${register.id}`))) {
    throw new ImportRefused(`another import of "${register.id}" is running: wait for it to end, then try again.`);
  }
  // Side by side neither would see the other's records, and those they link to would stay unlinked.
  await tx.hold('links between registers', register.links ? 'alone' : 'shared', options.onWait);
  const now = clock.now();
  const problems = createProblems();
  const merge = await createMerge(tx, now);
  const codes = inThreads ? null : await readRegisterCodes(register, parts);
  const progress = createProgress(jobs, options);
  let gathered = 0;
  const rows = await mergeJobs().finally(merge.settle);
  problems.check(rows);
  const mode = decideMode(options, rows, await readLatestRows(tx, register.id));
  const merged = await merge.finish(mode === 'full' ? { register: register.id, firstFile } : null);
  const duplicates = merged.duplicates + gathered;
  const counts: ImportCounts = { rows, ...merged, duplicates, rejected: problems.rejected };
  const generation = await raiseGeneration(tx, now);
  await recordImport(tx, { generation, register: register.id, mode, importedAt: now, synthetic, files, counts });
  return {
    register: register.id,
    outcome: dryRun ? 'dry-run' : 'published',
    mode,
    generation: dryRun ? null : generation,
    files: files.map(({ name, hash }) => ({ name, hash })),
    counts,
    unreadable: problems.unreadable,
    withoutNumber: problems.withoutNumber,
    unknownColumns: [...problems.unknownColumns],
    problems: problems.first,
    warnings: [
      ...warnOfFewRows(register, rows),
      ...leftOut,
      ...warnOfGaps(listMissing(register, jobs).others, problems),
    ],
  };

  async function mergeJobs(): Promise<number> {
    let rows = 0;
    for (const [position, job] of jobs.entries()) {
      for (const layout of listLayouts(job)) await keepLayout(tx, layout);
      const task = { register: register.id, paths, position };
      const batches = inThreads
        ? mapJobInThreads(task, countThreads(job), problems, progress.onBytes)
        : mapJob(job, register, codes, problems, progress.onBytes);
      for await (const batch of batches) {
        options.signal?.throwIfAborted();
        rows += batch.rows;
        gathered += batch.duplicates;
        await merge.add(batch.prepared, (files[paths.indexOf(batch.file)] as ImportedFile).id);
        progress.tell(rows);
        // Of joined tables all faults are found before the first company.
        if (rows >= 20_000 && !isJoinJob(job)) problems.check(rows);
      }
    }
    return rows;
  }
}

/** A file much smaller than the last one would delist the rest: that must be meant. */
function decideMode({ mode, register }: ImportOptions, rows: number, lastRows = 0): 'full' | 'partial' {
  if (mode !== undefined) return mode;
  if (rows < register.minimumRows && rows < lastRows * 0.8) {
    throw new ImportRefused(
      `the file has ${rows} rows, the last one had ${lastRows}: as a full file it would delist the rest. ` +
        'Nothing was changed. Say --partial if it is a part, or --full if the register has really shrunk.',
    );
  }
  return 'full';
}

function warnOfFewRows(register: Register, rows: number): string[] {
  if (rows >= register.minimumRows) return [];
  return [`${rows} rows, where a whole file has at least ${register.minimumRows}: a sample or a part?`];
}

function warnOfGaps(missing: readonly string[], { unmatched }: Problems): string[] {
  return [
    ...missing.map((source) => `no ${source} was given: records lack what it tells`),
    ...Array.from(unmatched, ([source, count]) => `${count} rows of ${source} belong to no record and were left out`),
  ];
}

function createProgress(jobs: readonly Job[], { onProgress }: ImportOptions) {
  const totalBytes = jobs.flatMap(({ main, joined }) => [...main, ...joined]).reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  let current = 0;
  return {
    onBytes(count: number) {
      // A reader starts again at 0 for the next part.
      if (count < current) done += current;
      current = count;
    },
    tell: (rows: number) => onProgress?.({ rows, bytes: done + current, totalBytes }),
  };
}

function describeUnchanged({ register, mode = 'full' }: ImportOptions, files: ImportResult['files']): ImportResult {
  const counts = { rows: 0, added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0, rejected: 0 };
  const nothing = { unreadable: 0, withoutNumber: 0, unknownColumns: [], problems: [], warnings: [] };
  return { register: register.id, outcome: 'unchanged', mode, generation: null, files, counts, ...nothing };
}
