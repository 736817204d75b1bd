import type { Clock } from '../base/clock.ts';
import type { Db, Transaction, TransactionOptions } from '../base/db/db.ts';
import { DEFAULT_PARTY_MODES, IN_RECORDS, listSetModes, type PartyModes } from '../base/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import { insertJournalEntry } from '../registry/journal/store.ts';
import { listPartySets, listSuppressed } from '../registry/parties/store.ts';
import {
  countListed,
  type PublishedFile,
  raiseGeneration,
  recordImport,
  takeFileNumbers,
} from '../registry/records/imports/store.ts';
import { mayNamePersons } from '../registry/records/withholding.ts';
import { compareAge, type FileAge, isImported, listImports, listRaised } from './history.ts';
import { importParties } from './import-parties.ts';
import { describeFiles, type ImportPlan, planImport, requireUnchanged } from './import-plan.ts';
import { importRecords } from './import-records.ts';
import { describeResult, describeUnchanged, type ImportResult } from './import-result.ts';
import { createMapper } from './mapping/map-thread.ts';
import { createPrepareTools } from './mapping/prepare.ts';
import { ImportBusy, ImportRefused } from './mapping/problems.ts';
import { type OpenedFile, recognizeFile } from './reading/recognize.ts';
import { removeExcess } from './removal/remove-persons.ts';
import type { Run } from './road.ts';

/**
 * The import: recognize, read, map, check and write, all in one transaction. The transaction is the staging area: changes
 * are invisible until it commits, and a failed or killed import leaves the data as it was.
 */
export interface ImportOptions {
  readonly register: Register;
  /** All registers, for links between them. */
  readonly registers: readonly Register[];
  readonly paths: readonly string[];
  /** A `partial` import adds and changes records but delists none. Default: full, unless a full import looks like a mistake. */
  readonly mode?: 'full' | 'partial';
  readonly dryRun?: boolean;
  /** Which parties are stored. Other parties of this register are removed from the store. Default: all parties are stored. */
  readonly parties?: PartyModes;
  /** Imports the files even if the last import had the same files. */
  readonly again?: boolean;
  /** The version of the program: another version may read the same files differently, so it imports the files again. */
  readonly program?: string;
  readonly addresses?: ReadonlyMap<string, string>;
  /** Returns why files of this age must not be imported, or null. By default an older file is imported with a warning. */
  readonly refuseAge?: (age: FileAge) => string | null;
  readonly onProgress?: (progress: Progress) => void;
  readonly onWait?: () => void;
  readonly signal?: AbortSignal;
}

export interface Progress {
  /** After the last row, companies that the files lack are delisted, and the changes are committed. */
  readonly phase: 'reading' | 'publishing';
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export async function importFiles(db: Db, clock: Clock, options: ImportOptions): Promise<ImportResult> {
  const { register, paths, dryRun = false, program = '', parties = DEFAULT_PARTY_MODES } = options;
  const modes = listSetModes(parties, register);
  const files = await describeFiles(paths);
  const isRaised = (await listRaised(db, [register], parties)).length > 0;
  const again = options.again === true || isRaised;
  const given = { mode: options.mode, program, hashes: files.map(({ hash }) => hash) };
  if (!again && isImported(await listImports(db, register.id), given)) {
    if (!dryRun) await removeExcess(db, [register], parties);
    return describeUnchanged(options, files);
  }

  const opened: OpenedFile[] = [];
  try {
    for (const path of paths) opened.push(await recognizeFile(path, register, options.registers));
    const plan = await planImport(opened, register, files, modes);
    const waiting: TransactionOptions = { patient: true, ...(options.onWait && { onWait: options.onWait }) };
    const firstFile = await db.transaction((tx) => takeFileNumbers(tx, paths.length), waiting);
    const numbered = files.map((file, index) => ({ ...file, id: firstFile + index }));
    const request = { ...options, ...plan, files: numbered, firstFile, modes, again, isRaised };
    let result: ImportResult | undefined;
    const rollBack = new Error('dry run: roll back');
    const run = async (tx: Transaction) => {
      result = await writeImport(tx, clock.now(), request);
      requireUnchanged(files);
      // A transaction rolls back only when its work throws.
      if (dryRun) throw rollBack;
    };
    await db.transaction(run, waiting).catch((error) => {
      if (error !== rollBack) throw error;
    });
    if (!dryRun) await removeExcess(db, [register], parties);
    return result as unknown as ImportResult;
  } finally {
    for (const file of opened) await file.close();
    // Even a dry run fills the log. If readers prevent shrinking, the thread that builds the next index shrinks the log.
    await db.shrinkLog().catch(() => false);
  }
}

interface Request extends ImportOptions, ImportPlan, Pick<Run, 'files' | 'firstFile' | 'modes'> {
  readonly again: boolean;
  readonly isRaised: boolean;
}

async function writeImport(tx: Transaction, now: number, request: Request): Promise<ImportResult> {
  const { register, registers, files, firstFile, jobs, parts, problems, modes, mode = 'full', program = '' } = request;
  if (!(await tx.claim(`import ${register.id}`))) {
    throw new ImportBusy(`another import of "${register.id}" is running. Wait until it ends, then try again.`);
  }
  const past = await listImports(tx, register.id);
  const age = compareAge(past, request.days);
  const refusal = request.refuseAge?.(age) ?? null;
  if (refusal !== null) throw new ImportRefused(refusal);
  // Two concurrent imports do not see each other's records, so links between them would be lost.
  await tx.hold('links between registers', register.links ? 'exclusive' : 'shared', request.onWait);
  const suppressed = await listSuppressed(tx, { register: register.id });
  const held = await countListed(tx, register.id);
  const progress = createProgress(request);
  const bringsPersons = await isFirstOfPersons(tx, request, held);
  const tools = {
    ...createPrepareTools(register, registers, modes, suppressed),
    parts,
    codes: request.codes,
    problems,
  };
  await using mapper = createMapper({ ...tools, onBytes: progress.onBytes }, { ...request, suppressed });
  const run: Run = { ...request, tx, now, held, past, mapper, rows: 0, onRows: progress.report };
  const merged = await importRecords(run);
  const rowsOfRecords = run.rows;
  // The first import of a register lists no changes of single companies.
  const parties = await importParties(run, merged.journal.loaded ? undefined : merged.journal.changes);
  progress.report(run.rows, 'publishing');
  const { added, changed, unchanged, delisted, duplicates, relisted } = merged.counts;
  const skipped = [...problems.skipped.values()].reduce((sum, count) => sum + count, 0);
  const changes = { added, changed, unchanged, delisted, duplicates };
  const counts = { rows: rowsOfRecords, ...changes, rejected: problems.rejected, skipped };
  const generation = await raiseGeneration(tx, now);
  const totals = { ...merged.journal, changes: merged.journal.changes + (parties?.changes ?? 0) };
  await insertJournalEntry(tx, { generation, publishedAt: now, register: register.id, batch: firstFile, ...totals });
  await merged.parties?.record(generation, mode);
  await parties?.record(generation);
  const published = describePublished(run, request.addresses);
  const hasRecords = jobs.length > 0;
  await recordImport(tx, {
    generation,
    register: register.id,
    // Files of parties alone add to the files of companies and do not replace them.
    mode: hasRecords ? mode : 'partial',
    importedAt: now,
    program,
    files: published,
    modes: JSON.stringify(modes),
    parts: parts.map((part) => ({ ...part, fileId: files.find(({ path }) => path === part.file)?.id ?? 0 })),
    counts,
    listed: hasRecords ? held + counts.added + relisted - counts.delisted : null,
    addedByCountry: merged.addedByCountry,
    unknownValues: problems.listUnknownValues(),
  });
  const outcome = { dryRun: request.dryRun === true, generation, files: published, counts, bringsPersons, age };
  return describeResult(run, { ...outcome, kept: merged.kept, parties: parties?.counts });
}

/** Whether the files name natural persons, and the files that were imported before do not. */
async function isFirstOfPersons(
  tx: Transaction,
  { register, jobs, parts, modes, isRaised }: Request,
  held: number,
): Promise<boolean> {
  const sets = (await listPartySets(tx, register.id)).map(({ set }) => set);
  const given = register.sources.filter(({ name, parties }) =>
    parties === undefined ? jobs.length > 0 : parts.some(({ table }) => table === name),
  );
  return given.some((source) => {
    const set = source.parties?.set ?? IN_RECORDS;
    const isNew = set === IN_RECORDS ? held === 0 : !sets.includes(set);
    return modes[set] === 'names' && (isRaised || isNew) && mayNamePersons(register, source);
  });
}

function describePublished(
  { files, days, unread, problems: { synthetic } }: Run,
  addresses: ImportOptions['addresses'],
): PublishedFile[] {
  // Nothing is stored of an unread file. It counts as synthetic if the files that it was given with are synthetic.
  const areInvented = files.every(({ path }) => unread.has(path) || synthetic.has(path));
  return files.map(({ id, name, hash, path }, index) => ({
    ...{ id, name, hash },
    synthetic: unread.has(path) ? areInvented : synthetic.has(path),
    asOf: days[index] ?? null,
    url: addresses?.get(hash) ?? null,
  }));
}

/** Counts the bytes of all parts of an import. */
function createProgress({ jobs, partyJobs, onProgress }: Request) {
  const parts = [...jobs, ...partyJobs].flatMap(({ main, joined }) => [...main, ...joined]);
  const totalBytes = parts.reduce((sum, { size }) => sum + size, 0);
  let finishedParts = 0;
  let currentPart = 0;
  return {
    onBytes(count: number) {
      // The count restarts at 0 for each part.
      if (count < currentPart) finishedParts += currentPart;
      currentPart = count;
    },
    report: (rows: number, phase: Progress['phase'] = 'reading') =>
      onProgress?.({ phase, rows, bytes: finishedParts + currentPart, totalBytes }),
  };
}
