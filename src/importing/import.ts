import { basename } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { formatCount } from '../core/format-count.ts';
import {
  DEFAULT_PARTY_MODES,
  IN_RECORDS,
  listSetModes,
  type PartyModes,
  type SetModes,
  writeSetModes,
} from '../core/party-modes.ts';
import type { Db, Transaction, TransactionOptions } from '../db/db.ts';
import type { JournalTotals } from '../journal/journal.ts';
import { insertJournalEntry } from '../journal/store.ts';
import { readPartySets } from '../parties/store.ts';
import { readSuppressed } from '../parties/suppression/store.ts';
import {
  countListed,
  type ImportedFile,
  type PublishedFile,
  raiseGeneration,
  recordImport,
  takeFileNumbers,
} from '../records/imports/store.ts';
import { keepLayout } from '../records/store.ts';
import { createWithholding, mayNamePersons, type SuppressedParty } from '../records/withholding.ts';
import type { Register } from '../registers/contract.ts';
import { runAndRollBack } from './dry-run.ts';
import { compareAge, type FileAge } from './file-age.ts';
import { listRaised } from './history/history.ts';
import { readPastUpdates } from './history/store.ts';
import { type ImportPlan, planImport } from './import-plan.ts';
import { describeResult, describeUnchanged, ImportBusy, ImportRefused, type ImportResult } from './import-result.ts';
import { describeFiles, isImported, requireUnchanged } from './input-files.ts';
import { countThreads, describeJob, isJoinJob, type Job, listLayouts, mapJob } from './jobs.ts';
import type { MappedBatch } from './mapping/map-part.ts';
import { mapJobInThreads } from './mapping/map-thread.ts';
import { createProblems, type Problems } from './mapping/problems.ts';
import { indexRegisters } from './mapping/record.ts';
import { createMerge, type Merge, type Merged } from './merge.ts';
import { importParties } from './parties/import-parties.ts';
import { createProgress, type Progress } from './progress.ts';
import { type OpenedFile, recognizeFile } from './reading/recognize.ts';
import { openRecordParties, type RecordParties } from './record-parties/record-parties.ts';
import { NOTHING_KEPT } from './rejected/rejected-rows.ts';
import { removeExcess } from './removal/remove-persons.ts';
import { HISTORY, limitLoss, requireMost } from './require-most.ts';

/**
 * The import: recognize, read, map, check and write, all in one transaction. The transaction is the staging area: changes
 * are invisible until it commits, and a failed or killed import leaves the data as it was.
 */
export interface ImportOptions {
  readonly register: Register;
  /** All registers: for links between them, and to suggest the right one for a wrong file. */
  readonly registers: readonly Register[];
  readonly paths: readonly string[];
  /** A `partial` import adds and changes records but delists none. Default: full, unless that looks like a mistake. */
  readonly mode?: 'full' | 'partial';
  readonly dryRun?: boolean;
  /** Which parties are stored. What the store has of this register beyond that is removed. Default: all. */
  readonly parties?: PartyModes;
  /** Imports the files even if they were imported last. */
  readonly again?: boolean;
  /** The version of the program: another one may read the same files differently, so it imports them again. */
  readonly program?: string;
  /** The addresses that files were downloaded from, by their hashes. */
  readonly addresses?: ReadonlyMap<string, string>;
  /** Returns why files of this age must not be imported, or null. By default an older file is imported with a warning. */
  readonly refuseAge?: (age: FileAge) => string | null;
  readonly onProgress?: (progress: Progress) => void;
  /** Called when another import makes this one wait. */
  readonly onWait?: () => void;
  readonly signal?: AbortSignal;
}

/** From this many rows on, the share of bad rows is checked after every batch, so that a wrong file fails early. */
const MIN_ROWS_TO_CHECK = 20_000;

export async function importFiles(db: Db, clock: Clock, options: ImportOptions): Promise<ImportResult> {
  const { register, registers, paths, dryRun = false, program = '', parties = DEFAULT_PARTY_MODES } = options;
  const modes = listSetModes(parties, register);
  const files = await describeFiles(paths);
  const isRaised = (await listRaised(db, [register], parties)).length > 0;
  const again = options.again === true || isRaised;
  if (!again && (await isImported(db, { register: register.id, mode: options.mode, program, files }))) {
    if (!dryRun) await removeExcess(db, [register], parties);
    return describeUnchanged(options, files);
  }

  const opened: OpenedFile[] = [];
  try {
    for (const path of paths) opened.push(await recognizeFile(path, register, registers));
    const plan = await planImport(opened, register, files, modes);
    const waiting: TransactionOptions = { patient: true, ...(options.onWait && { onWait: options.onWait }) };
    const firstFile = await db.transaction((tx) => takeFileNumbers(tx, paths.length), waiting);
    const numbered = files.map(({ name, hash }, index) => ({ name, hash, id: firstFile + index }));
    const run = async (tx: Transaction) => {
      const result = await writeImport(tx, clock, { ...options, again }, { ...plan, modes, isRaised }, numbered);
      requireUnchanged(files);
      return result;
    };
    if (dryRun) return await runAndRollBack(db, run, waiting);
    const result = await db.transaction(run, waiting);
    await removeExcess(db, [register], parties);
    return result;
  } finally {
    for (const file of opened) await file.close();
    // Even a dry run fills the log. If readers prevent it, the thread that builds the next index does it (`search/memory/build-worker.ts`).
    await db.shrinkLog().catch(() => false);
  }
}

/** The plan, and what must not be stored. */
interface Plan extends ImportPlan {
  readonly modes: SetModes;
  /** Whether they allow more than those of the last import. */
  readonly isRaised: boolean;
}

async function writeImport(
  tx: Transaction,
  clock: Clock,
  options: ImportOptions,
  plan: Plan,
  files: readonly ImportedFile[],
): Promise<ImportResult> {
  const { register, program = '' } = options;
  if (!(await tx.claim(`import ${register.id}`))) {
    throw new ImportBusy(`another import of "${register.id}" is running. Wait until it ends, then try again.`);
  }
  const age = await compareAge(tx, register.id, plan.days);
  const refusal = options.refuseAge?.(age) ?? null;
  if (refusal !== null) throw new ImportRefused(refusal);
  // Two concurrent imports do not see each other's records, so links between them would be lost.
  await tx.hold('links between registers', register.links ? 'exclusive' : 'shared', options.onWait);
  const suppressed = await readSuppressed(tx, register.id);
  const now = clock.now();
  const problems = createProblems();
  const held = await countListed(tx, register.id);
  const firstFile = files[0]?.id ?? 0;
  const mode = options.mode ?? 'full';
  const progress = createProgress(
    [...plan.jobs.flatMap(({ main, joined }) => [...main, ...joined]), ...plan.partyParts],
    options.onProgress,
  );
  const hasRecords = plan.jobs.length > 0;
  const bringsPersons = await isFirstOfPersons(tx, register, plan, held);
  const steps = { files, problems, progress, suppressed };
  const merged = hasRecords ? await mergeRecords(tx, options, plan, { ...steps, now, held }) : NOTHING;
  const parties = await importParties(tx, options, plan, {
    ...{ files, problems, suppressed, rowsBefore: merged.rows, onBytes: progress.onBytes, onRows: progress.report },
    // The first import of a register lists no changes of single companies.
    position: merged.journal.loaded ? undefined : merged.journal.changes,
  });
  requireWhole(options, plan, problems);
  progress.report(merged.rows + (parties?.counts.rows ?? 0), 'publishing');
  const counts = {
    rows: merged.rows,
    ...merged.counts,
    rejected: problems.rejected,
    skipped: [...problems.skipped.values()].reduce((sum, count) => sum + count, 0),
  };
  const generation = await raiseGeneration(tx, now);
  const totals = { ...merged.journal, changes: merged.journal.changes + (parties?.changes ?? 0) };
  const entry = { generation, publishedAt: now, register: register.id, batch: firstFile, ...totals };
  await insertJournalEntry(tx, entry);
  await merged.parties?.record(generation, mode);
  await parties?.record(generation);
  const published = describePublished(files, options, plan, problems);
  await recordImport(tx, {
    generation,
    register: register.id,
    // Files of parties alone add to the files of companies and do not replace them.
    mode: hasRecords ? mode : 'partial',
    importedAt: now,
    program,
    files: published,
    modes: writeSetModes(plan.modes),
    parts: plan.parts.map((part) => ({ ...part, fileId: files[options.paths.indexOf(part.file)]?.id ?? 0 })),
    counts,
    listed: hasRecords ? held + counts.added + merged.relisted - counts.delisted : null,
    addedByCountry: merged.addedByCountry,
    unknownValues: problems.listUnknownValues(),
  });
  const { kept } = merged;
  const outcome = {
    ...{ ...plan, mode, generation, files: published, counts, hasRecords, bringsPersons, problems, age, kept },
  };
  return describeResult(options, { ...outcome, parties: parties?.counts });
}

/** Whether the files name natural persons, and what was imported before does not. */
async function isFirstOfPersons(
  tx: Transaction,
  register: Register,
  { jobs, partyParts, modes, isRaised }: Plan,
  held: number,
): Promise<boolean> {
  const sets = (await readPartySets(tx, register.id)).map(({ set }) => set);
  const isFirst = (set: string) => modes[set] === 'names' && (isRaised || !sets.includes(set));
  const inFiles = partyParts.some(
    ({ source }) => mayNamePersons(register, source) && isFirst(source.parties?.set ?? ''),
  );
  if (inFiles || jobs.length === 0 || modes[IN_RECORDS] !== 'names') return inFiles;
  const ofCompanies = register.sources.filter(({ parties }) => parties === undefined);
  return (isRaised || held === 0) && ofCompanies.some((source) => mayNamePersons(register, source));
}

/** What the steps of an import share. */
interface Steps {
  readonly files: readonly ImportedFile[];
  readonly problems: Problems;
  readonly progress: ReturnType<typeof createProgress>;
  readonly suppressed: readonly SuppressedParty[];
}

type MergedRecords = Merged & {
  readonly rows: number;
  readonly journal: JournalTotals;
  /** The parties inside the records. */
  readonly parties?: RecordParties | undefined;
};

/** Of an import without companies. */
const NOTHING: MergedRecords = {
  rows: 0,
  counts: { added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0 },
  addedByCountry: new Map(),
  relisted: 0,
  kept: NOTHING_KEPT,
  journal: { changes: 0, loaded: false, mixed: false },
};

async function mergeRecords(
  tx: Transaction,
  options: ImportOptions,
  plan: Plan,
  { now, held, ...steps }: Steps & { readonly now: number; readonly held: number },
): Promise<MergedRecords> {
  const { files, problems } = steps;
  const { register, again = false } = options;
  const batch = files[0]?.id ?? 0;
  const request = { register, registers: indexRegisters(options.registers), modes: plan.modes, again };
  const parties = await openRecordParties(tx, request);
  const merge = await createMerge(tx, register, now, batch, parties);
  const mapping = mergeJobs(tx, options, plan, steps, merge);
  const mapped = await mapping.finally(merge.waitForWrite);
  requireWhole(options, plan, problems);
  problems.check(mapped.rows);
  await merge.addRejected(problems.takeRejected());
  const limit = limitLoss(held, await readPastUpdates(tx, register.id, now - HISTORY), now);
  const merged = await merge.finish(options.mode, (written) => {
    if (options.mode === undefined)
      requireMost(countFound(written), { held, limit, things: formatCompanies(held), loss: 'delist' });
  });
  const { changes, loaded } = merged.journal;
  const listed = await parties?.finish({ batch, position: changes, isFirst: loaded });
  const journal = { ...merged.journal, changes: changes + (listed ?? 0) };
  const duplicates = merged.counts.duplicates + mapped.duplicates;
  return { ...merged, counts: { ...merged.counts, duplicates }, rows: mapped.rows, journal, parties };
}

function describePublished(
  files: readonly ImportedFile[],
  { paths, addresses }: ImportOptions,
  { synthetic, days }: ImportPlan,
  problems: Problems,
): PublishedFile[] {
  return files.map((file, index) => {
    const path = paths[index] ?? '';
    const isSynthetic = synthetic.has(path) || problems.synthetic.has(path);
    const url = addresses?.get(file.hash) ?? null;
    return { ...file, synthetic: isSynthetic, asOf: days[index] ?? null, url };
  });
}

/** Maps all jobs and hands the records to `merge`. Returns how many rows there were. */
async function mergeJobs(
  tx: Transaction,
  options: ImportOptions,
  plan: Plan,
  steps: Steps,
  merge: Merge,
): Promise<{ rows: number; duplicates: number }> {
  const { paths, signal } = options;
  const { files, problems, progress } = steps;
  let rows = 0;
  let duplicates = 0;
  for (const job of plan.jobs) {
    for (const layout of listLayouts(job)) await keepLayout(tx, layout);
    for await (const batch of startMapping(job, options, plan, steps)) {
      signal?.throwIfAborted();
      rows += batch.rows;
      duplicates += batch.duplicates;
      await merge.add(batch.prepared, (files[paths.indexOf(batch.file)] as ImportedFile).id);
      await merge.addRejected(problems.takeRejected());
      progress.report(rows);
      // A join reports the bad rows of all tables before its first record, so their share is known only at the end.
      if (rows >= MIN_ROWS_TO_CHECK && !isJoinJob(job)) problems.check(rows);
    }
  }
  return { rows, duplicates };
}

/** Maps the job in threads if it is large and not a workbook, else here. The batches are the same. */
function startMapping(
  job: Job,
  { register, registers }: ImportOptions,
  { inThreads, parts, codeTables, codes, modes }: Plan,
  { problems, progress: { onBytes }, suppressed }: Steps,
): AsyncGenerator<MappedBatch> {
  const jobPlan = inThreads ? describeJob(job) : undefined;
  if (jobPlan === undefined) {
    const withholding = createWithholding(register, modes, suppressed);
    return mapJob(job, {
      ...{ register, registers: indexRegisters(registers), withholding, parts, codes, problems, onBytes },
    });
  }
  const task = { register: register.id, job: jobPlan, parts, codeTables, modes, suppressed };
  return mapJobInThreads(task, countThreads(job), problems, onBytes);
}

/** A file may end with a line that is no row, so the command can say that it is complete. */
function requireWhole({ mode }: ImportOptions, { cut }: Plan, problems: Problems): void {
  const [first] = [...cut, ...problems.cut];
  if (first === undefined || mode === 'full') return;
  const [path, place] = first;
  throw new ImportRefused(
    `${basename(path)} ends in the middle of row ${place}: it is probably truncated. Nothing was changed. Download it ` +
      'again, or use --full if it is complete.',
  );
}

/** How many companies of the store the files have, those of rejected rows included. */
function countFound({ counts: { changed, unchanged }, relisted, kept }: Merged): number {
  return changed - relisted + unchanged + kept.found;
}

function formatCompanies(count: number): string {
  return count === 1 ? '1 company' : `${formatCount(count)} companies`;
}
