import type { Transaction } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import type { SetModes } from '../base/party-modes.ts';
import { indexRegisters } from '../registers/contract.ts';
import { createJournal, type JournalTotals } from '../registry/journal/journal.ts';
import { readPastUpdates } from '../registry/records/imports/store.ts';
import { readContent, readCountry } from '../registry/records/record-content.ts';
import { hasEntities, insertEntities, type NewEntity, readStates } from '../registry/records/store.ts';
import type { MarkedRegister } from '../registry/records/withholding.ts';
import { isJoinJob, type Job } from './jobs.ts';
import { createLinker } from './links/linker.ts';
import type { PreparedRecord } from './mapping/record.ts';
import { BATCH, createMerge, mergeJobs, type Placed, type Run, type Sink } from './merge.ts';
import { openRecordParties, type RecordParties } from './record-parties.ts';
import { createRejectedRows, type Kept, NOTHING_KEPT, type PlacedRow } from './rejected/rejected-rows.ts';
import { HISTORY, limitLoss, requireMost } from './require-most.ts';

/** What an import did with records. */
export interface ImportedRecords extends MergedRecords {
  readonly rows: number;
  readonly journal: JournalTotals;
  /** The parties inside the records. */
  readonly parties?: RecordParties | undefined;
}

/** Of an import without companies. */
export const NOTHING: ImportedRecords = {
  rows: 0,
  counts: { added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0, relisted: 0 },
  addedByCountry: new Map(),
  kept: NOTHING_KEPT,
  journal: { changes: 0, loaded: false, mixed: false },
};

interface Records {
  readonly jobs: readonly Job[];
  readonly modes: SetModes;
  readonly now: number;
  /** How many companies the store holds. */
  readonly held: number;
  /** Whether the import is repeated, so that the parties of unchanged records are written as well. */
  readonly again: boolean;
  /** Called when all rows were read. Throws if a file is not complete. */
  checkWhole(): void;
}

/** From this many rows on, the share of bad rows is checked after every batch, so that a wrong file fails early. */
const MIN_ROWS_TO_CHECK = 20_000;

export async function importRecords(
  run: Run,
  { jobs, modes, now, held, again, checkWhole }: Records,
): Promise<ImportedRecords> {
  const { tx, register, registers, mode, problems } = run;
  const batch = run.files[0]?.id ?? 0;
  const parties = await openRecordParties(tx, { register, registers: indexRegisters(registers), modes, again });
  const merge = await createRecordMerge(tx, register, now, batch, parties);
  const mapped = await mergeJobs(run, jobs, run.mapper.mapRecords, merge, async (rows, job) => {
    await merge.addRejected(problems.takeRejected());
    run.onRows(rows);
    // A join reports the bad rows of all tables before its first record, so their share is known only at the end.
    if (rows >= MIN_ROWS_TO_CHECK && !isJoinJob(job)) problems.check(rows);
  });
  checkWhole();
  problems.check(mapped.rows);
  await merge.addRejected(problems.takeRejected());
  const limit = limitLoss(held, await readPastUpdates(tx, register.id, now - HISTORY), now);
  const merged = await merge.finish(mode, ({ counts, kept }) => {
    // Companies of the store that the files have, those of rejected rows included.
    const found = counts.changed - counts.relisted + counts.unchanged + kept.found;
    const things = held === 1 ? '1 company' : `${formatCount(held)} companies`;
    if (mode === undefined) requireMost(found, { held, limit, things, loss: 'delist' });
  });
  const { changes } = merged.journal;
  const listed = (await parties?.finish({ batch, position: changes })) ?? 0;
  const counts = { ...merged.counts, duplicates: merged.counts.duplicates + mapped.duplicates };
  const journal = { ...merged.journal, changes: changes + listed };
  return { ...merged, counts, rows: mapped.rows, journal, parties };
}

/** What the merge did. Counts are entities, `duplicates` rows. */
interface MergedRecords {
  readonly counts: {
    readonly added: number;
    readonly changed: number;
    readonly unchanged: number;
    readonly delisted: number;
    readonly duplicates: number;
    /** How many of the changed entities were delisted before. */
    readonly relisted: number;
  };
  /** New entities by country. */
  readonly addedByCountry: ReadonlyMap<string, number>;
  /** Companies that the files lack and that were not delisted. */
  readonly kept: Kept;
}

/** Merges records of companies with those of the register: with their links, their parties and the journal. */
export async function createRecordMerge(
  tx: Transaction,
  register: MarkedRegister,
  now: number,
  firstFile: number,
  parties?: Pick<RecordParties, 'write' | 'visitUnchanged'>,
) {
  const isFirst = !(await hasEntities(tx, register.id));
  const journal = createJournal(tx, register, firstFile, isFirst);
  const rejected = isFirst ? null : await createRejectedRows(tx, { register: register.id, firstFile });
  const linker = await createLinker(tx, isFirst, BATCH);
  const addedByCountry = new Map<string, number>();

  async function write(rows: readonly Placed<PreparedRecord>[], changed: ReadonlySet<string>): Promise<void> {
    const entities = rows.map((row) => toEntity(row, now));
    const differences = await journal.replace(entities.filter(({ id }) => changed.has(id)));
    await insertEntities(tx, entities);
    const withParties = await parties?.write(entities);
    for (const { row } of rows) {
      if (changed.has(row.id)) continue;
      const country = readCountry(row.content);
      addedByCountry.set(country, (addedByCountry.get(country) ?? 0) + 1);
    }
    const records = rows.map(({ row }) => row);
    const related = await linker.update(records, changed);
    await journal.add(entities, differences, { related, parties: withParties });
  }

  const visitUnchanged = parties?.visitUnchanged;
  const sink: Sink<PreparedRecord> = {
    readStates,
    hashOf: ({ contentHash }) => contentHash,
    measure: ({ content }) => content.text.length,
    write,
    ...(visitUnchanged && { visitUnchanged: (rows) => visitUnchanged(rows.map((row) => toEntity(row, now))) }),
  };
  const merge = await createMerge(tx, sink, { firstFile, isFirst });

  return {
    add: merge.add,
    /** Notes rows that were rejected: their companies are not delisted. */
    async addRejected(rows: readonly PlacedRow[]): Promise<void> {
      if (rows.length === 0) return;
      await merge.settle();
      await rejected?.add(rows);
    },
    waitForWrite: merge.waitForWrite,
    /**
     * Writes the rest and calls `check`, which may throw. An import that is not partial then delists the entities that its
     * files lack. Without a mode it delists none while they may be those of unreadable rows.
     */
    async finish(
      mode: 'full' | 'partial' | undefined,
      check: (merged: MergedRecords) => void,
    ): Promise<MergedRecords & { readonly journal: JournalTotals }> {
      await merge.writeRest();
      const kept = (mode === 'partial' ? undefined : await rejected?.keep(mode === 'full')) ?? NOTHING_KEPT;
      const counts = { ...merge.counts, delisted: 0 };
      check({ counts, addedByCountry, kept });
      if (mode !== 'partial' && kept.doubtful === 0) counts.delisted = await journal.delistMissing(now);
      const totals = await journal.finish(addedByCountry);
      await linker.end();
      await rejected?.end();
      await merge.end();
      return { counts, addedByCountry, kept, journal: totals };
    },
  };
}

function toEntity({ row, fileId }: Placed<PreparedRecord>, now: number): NewEntity {
  const { id, place, origins, contentHash, content } = row;
  return { id, updatedAt: now, fileId, place, origins, contentHash, content: readContent(content) };
}
