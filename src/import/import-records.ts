import type { Transaction } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import type { SetModes } from '../base/party-modes.ts';
import { createJournal, type JournalTotals } from '../registry/journal/journal.ts';
import type { ImportCounts } from '../registry/records/imports/store.ts';
import { parseContent } from '../registry/records/record-content.ts';
import { contentColumns, findStates, hasEntities, insertEntities, type NewEntity } from '../registry/records/store.ts';
import type { MarkedRegister } from '../registry/records/withholding.ts';
import { limitLoss, type PastUpdate, requireMost } from './history.ts';
import type { Job } from './jobs.ts';
import { createLinker } from './links/linker.ts';
import { openRecordParties, type RecordParties } from './record-parties.ts';
import { createRejectedRows, type Kept, NOTHING_KEPT } from './rejected/rejected-rows.ts';
import { createMerge, type FileRow, importRows, type Run, type Sink } from './road.ts';

/** What an import did with records. Counts are entities, `duplicates` rows. */
interface ImportedRecords {
  readonly counts: Pick<ImportCounts, 'added' | 'changed' | 'unchanged' | 'delisted' | 'duplicates'> & {
    /** How many of the changed entities were delisted before. */
    readonly relisted: number;
  };
  /** New entities by country. */
  readonly addedByCountry: ReadonlyMap<string, number>;
  /** Companies that the files lack and that were not delisted. */
  readonly kept: Kept;
  readonly journal: JournalTotals;
  /** The parties inside the records. */
  readonly parties?: RecordParties | undefined;
}

/** Of an import without companies. */
export const NOTHING: ImportedRecords = {
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
  readonly updates: readonly PastUpdate[];
  /** Whether the import is repeated, so that the parties of unchanged records are written as well. */
  readonly again: boolean;
  /** Called when all rows were read. Throws if a file is not complete. */
  checkWhole(): void;
}

/**
 * Imports files of companies. An import that is not partial delists the companies that its files lack. Without a mode it delists none while
 * they may be those of unreadable rows.
 */
export async function importRecords(
  run: Run,
  { jobs, modes, now, held, updates, again, checkWhole }: Records,
): Promise<ImportedRecords> {
  const { tx, register, firstFile, mode, problems } = run;
  const parties = await openRecordParties(run, modes, again);
  const sink = await createRecordSink(tx, register, now, firstFile, parties);
  const merge = await createMerge(tx, sink, firstFile);
  await importRows(run, jobs, merge);
  checkWhole();
  problems.check(run.rows);
  const limit = limitLoss(held, updates, now);
  await merge.finish();
  const kept = mode === 'partial' ? NOTHING_KEPT : await sink.keepRejected(mode === 'full');
  // Companies of the store that the files have, those of rejected rows included.
  const found = merge.counts.changed - merge.counts.relisted + merge.counts.unchanged + kept.found;
  const things = held === 1 ? '1 company' : `${formatCount(held)} companies`;
  if (mode === undefined) requireMost(found, { held, limit, things, loss: 'delist' });
  const delisted = mode === 'partial' || kept.doubtful > 0 ? 0 : await sink.delistMissing();
  const journal = await sink.close();
  await merge.end();
  const listed = (await parties?.finish({ batch: firstFile, position: journal.changes })) ?? 0;
  return {
    counts: { ...merge.counts, delisted },
    addedByCountry: sink.addedByCountry,
    kept,
    journal: { ...journal, changes: journal.changes + listed },
    parties,
  };
}

const COUNTRY = contentColumns.indexOf('country_code');

/** Writes records of companies: with their links, their parties and the journal. */
export async function createRecordSink(
  tx: Transaction,
  register: MarkedRegister,
  now: number,
  firstFile: number,
  parties?: Pick<RecordParties, 'write' | 'visitUnchanged'>,
) {
  const isFirst = !(await hasEntities(tx, register.id));
  const journal = createJournal(tx, register, firstFile, isFirst);
  const rejected = isFirst ? null : await createRejectedRows(tx, { register: register.id, firstFile });
  const linker = await createLinker(tx, isFirst);
  const addedByCountry = new Map<string, number>();
  const toEntity = ({ row, fileId }: FileRow): NewEntity => {
    const { id, place, origins, contentHash, content } = row;
    return { id, updatedAt: now, fileId, place, origins, contentHash, content: parseContent(content) };
  };

  async function write(rows: readonly FileRow[], changed: ReadonlySet<string>): Promise<void> {
    const entities = rows.map(toEntity);
    const differences = await journal.replace(entities.filter(({ id }) => changed.has(id)));
    await insertEntities(tx, entities);
    const withParties = await parties?.write(entities);
    for (const { id, content } of entities) {
      if (changed.has(id)) continue;
      const country = content[COUNTRY] as string;
      addedByCountry.set(country, (addedByCountry.get(country) ?? 0) + 1);
    }
    const records = rows.map(({ row }) => row);
    const related = await linker.update(records, changed);
    await journal.add(entities, differences, { related, parties: withParties });
  }

  const visitUnchanged = parties?.visitUnchanged;
  return {
    isFirst,
    findStates,
    write,
    visitUnchanged: visitUnchanged && ((rows) => visitUnchanged(rows.map(toEntity))),
    addRejected: async (rows) => rejected?.add(rows),
    addedByCountry,
    /** Counts companies of rejected rows as contained in the import. */
    keepRejected: async (areComplete: boolean) => (await rejected?.keep(areComplete)) ?? NOTHING_KEPT,
    delistMissing: () => journal.delistMissing(now),
    async close(): Promise<JournalTotals> {
      const totals = await journal.finish(addedByCountry);
      await linker.end();
      await rejected?.end();
      return totals;
    },
  } satisfies Sink & Record<string, unknown>;
}
