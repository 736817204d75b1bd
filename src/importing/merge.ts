import type { Transaction } from '../db/db.ts';
import { createJournal, type JournalTotals } from '../journal/journal.ts';
import type { ImportCounts } from '../records/imports/store.ts';
import { readContent, readCountry } from '../records/record-content.ts';
import {
  createSeen,
  DELISTED_HASH,
  dropSeen,
  hasEntities,
  insertEntities,
  type NewEntity,
  readStates,
} from '../records/store.ts';
import type { MarkedRegister } from '../records/withholding.ts';
import { compareStates } from './compare-states.ts';
import { createIdFilter } from './id-filter.ts';
import { createLinker } from './links/linker.ts';
import type { PreparedRecord } from './mapping/record.ts';
import type { RecordParties } from './record-parties/record-parties.ts';
import { createRejectedRows, type Kept, NOTHING_KEPT, type PlacedRow } from './rejected/rejected-rows.ts';

/** What the merge did. Counts are entities, `duplicates` rows. */
type MergeCounts = Pick<ImportCounts, 'added' | 'changed' | 'unchanged' | 'delisted' | 'duplicates'>;

export interface Merged {
  readonly counts: MergeCounts;
  /** New entities by country. */
  readonly addedByCountry: ReadonlyMap<string, number>;
  /** How many of the changed entities were delisted before. */
  readonly relisted: number;
  /** Companies that the files lack and that were not delisted. */
  readonly kept: Kept;
}

export type Merge = Awaited<ReturnType<typeof createMerge>>;

const BATCH = 1_000;
/** In characters. Long records are written in smaller batches, so that two of them fit into memory. */
const MAX_BATCH_LENGTH = 8 * 1024 * 1024;

/**
 * Writes only new and changed records: for each batch it reads the stored hashes of its ids once, compares them and
 * loads the difference. The first row with an id wins; later ones are duplicates. Ids of unchanged records are kept in
 * a temporary table, so that memory does not grow with the file. `firstFile` is the number of the import's first file.
 */
export async function createMerge(
  tx: Transaction,
  register: MarkedRegister,
  now: number,
  firstFile: number,
  parties?: Pick<RecordParties, 'write'>,
) {
  await createSeen(tx);
  // In an empty register only rows of this import can have the same id.
  const written = (await hasEntities(tx, register.id)) ? null : createIdFilter();
  const isFirst = written !== null;
  const journal = createJournal(tx, register, firstFile, isFirst);
  const rejected = isFirst ? null : await createRejectedRows(tx, { register: register.id, firstFile });
  const linker = await createLinker(tx, isFirst, BATCH);
  const counts = { added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0 };
  const addedByCountry = new Map<string, number>();
  let relisted = 0;
  let waiting: Item[] = [];
  let waitingLength = 0;

  // One batch is written while the next is mapped. A batch must see what the previous one wrote.
  let writing: Promise<void> = Promise.resolve();
  async function flush(): Promise<void> {
    const items = waiting;
    waiting = [];
    waitingLength = 0;
    await writing;
    writing = write(items);
    // The next flush awaits it; until then a failure must not count as an unhandled rejection.
    writing.catch(() => undefined);
  }

  async function write(items: readonly Item[]): Promise<void> {
    const batch = new Map<string, Item>();
    for (const item of items) {
      if (batch.has(item.record.id)) counts.duplicates++;
      else batch.set(item.record.id, item);
    }
    const mayExist = [...batch.keys()].filter((id) => written === null || written.add(id));
    const states = await readStates(tx, mayExist, BATCH);
    relisted += states.filter(({ contentHash, fileId }) => fileId < firstFile && contentHash === DELISTED_HASH).length;
    const hashOf = (id: string) => batch.get(id)?.record.contentHash;
    const { changed, known, newlySeen } = await compareStates(tx, states, hashOf, { firstFile, size: BATCH });
    for (const id of known) batch.delete(id);
    const entities = Array.from(batch.values(), (item) => toEntity(item, now));
    const differences = await journal.replace(entities.filter(({ id }) => changed.has(id)));
    await insertEntities(tx, entities);
    const withParties = await parties?.write(entities);
    countCountries(batch, changed);
    const related = await linker.update(
      Array.from(batch.values(), ({ record }) => record),
      changed,
    );
    await journal.add(entities, differences, { related, parties: withParties });
    counts.duplicates += known.length - newlySeen;
    counts.unchanged += newlySeen;
    counts.changed += changed.size;
    counts.added += batch.size - changed.size;
  }

  function countCountries(batch: ReadonlyMap<string, Item>, changed: ReadonlySet<string>): void {
    for (const [id, { record }] of batch) {
      if (changed.has(id)) continue;
      const country = readCountry(record.content);
      addedByCountry.set(country, (addedByCountry.get(country) ?? 0) + 1);
    }
  }

  return {
    async add(records: readonly PreparedRecord[], fileId: number): Promise<void> {
      for (const record of records) {
        waiting.push({ record, fileId });
        waitingLength += record.content.text.length;
        if (waiting.length === BATCH || waitingLength >= MAX_BATCH_LENGTH) await flush();
      }
    },
    /** Notes rows that were rejected: their companies are not delisted. */
    async addRejected(rows: readonly PlacedRow[]): Promise<void> {
      if (rows.length === 0) return;
      await writing;
      await rejected?.add(rows);
    },
    /** Waits for the pending write, even if it fails: no statement may be running when the transaction ends. */
    waitForWrite: () => writing.catch(() => undefined),
    /**
     * Writes the rest and calls `check`, which may throw. An import that is not partial then delists the entities that its
     * files lack. Without a mode it delists none while they may be those of unreadable rows.
     */
    async finish(
      mode: 'full' | 'partial' | undefined,
      check: (merged: Merged) => void,
    ): Promise<Merged & { readonly journal: JournalTotals }> {
      await flush();
      await writing;
      const kept = (mode === 'partial' ? undefined : await rejected?.keep(mode === 'full')) ?? NOTHING_KEPT;
      check({ counts, addedByCountry, relisted, kept });
      if (mode !== 'partial' && kept.doubtful === 0) counts.delisted = await journal.delistMissing(now);
      const totals = await journal.finish(addedByCountry);
      await linker.end();
      await rejected?.end();
      await dropSeen(tx);
      return { counts, addedByCountry, relisted, kept, journal: totals };
    },
  };
}

interface Item {
  readonly record: PreparedRecord;
  readonly fileId: number;
}

function toEntity({ record, fileId }: Item, now: number): NewEntity {
  const { id, place, origins, contentHash, content } = record;
  return { id, updatedAt: now, fileId, place, origins, contentHash, content: readContent(content) };
}
