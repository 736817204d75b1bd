import { basename } from 'node:path';
import type { Transaction } from '../base/db/db.ts';
import type { SetModes } from '../base/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import { DELISTED_HASH, keepLayout, type StoredState } from '../registry/records/store.ts';
import type { PastImport } from './history.ts';
import type { ImportPlan, NumberedFile } from './import-plan.ts';
import { isJoinJob, isOfParties, type Job, listLayouts } from './jobs.ts';
import { addTally } from './mapping/map-rows.ts';
import type { Mapper } from './mapping/map-thread.ts';
import type { PreparedRow } from './mapping/prepare.ts';
import { ImportRefused } from './mapping/problems.ts';
import type { PlacedRow } from './rejected/rejected-rows.ts';
import { createIds, dropIds, findSeen, insertIds } from './store.ts';

/**
 * The road that all rows of an import take. Jobs are read and mapped, in threads if they are large (`mapping/`). The mapped rows are
 * merged with the store, batch by batch. New and changed rows go to a sink, which writes the rows and lists them in the journal: companies
 * (`import-records.ts`), and parties in files of their own or inside records of companies (`import-parties.ts`).
 */
export interface Run extends ImportPlan {
  readonly tx: Transaction;
  readonly register: Register;
  readonly registers: readonly Register[];
  readonly files: readonly NumberedFile[];
  readonly firstFile: number;
  /** Undefined: full, unless a full import would remove many companies or parties. */
  readonly mode?: 'full' | 'partial' | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly now: number;
  readonly modes: SetModes;
  /** Whether the import is repeated, so that the parties of unchanged records are written as well. */
  readonly again: boolean;
  readonly held: number;
  readonly past: readonly PastImport[];
  readonly mapper: Mapper;
  rows: number;
  onRows(rows: number): void;
}

/** Refuses a file that is cut. A file may end with a line that is not a row, so the user can declare the files complete. */
function requireWhole({ mode, problems }: Run): void {
  const [first] = problems.cut;
  if (first === undefined || mode === 'full') return;
  const [path, place] = first;
  throw new ImportRefused(
    `${basename(path)} ends in the middle of row ${place}: it is probably truncated. Nothing was changed. Download it ` +
      'again, or use --full if it is complete.',
  );
}

/** From this many rows on, the share of bad rows is checked after every batch, so that a wrong file fails early. */
const MIN_ROWS_TO_CHECK = 20_000;

/** Maps jobs and merges their rows with the store. When it returns or throws, no statement is running. */
export async function importRows(run: Run, jobs: readonly Job[], sink: Sink) {
  const { tx, files, signal, mapper, problems, rows: rowsBefore } = run;
  const merge = await createMerge(tx, sink, run.firstFile);
  const tally: Record<string, number> = {};
  try {
    for (const job of jobs) {
      for (const layout of listLayouts(job)) await keepLayout(tx, layout);
      for await (const batch of mapper.map(job)) {
        signal?.throwIfAborted();
        run.rows += batch.rows;
        merge.counts.duplicates += batch.duplicates;
        addTally(tally, batch.tally ?? {});
        await merge.add(batch.prepared, files.find(({ path }) => path === batch.file)?.id ?? 0);
        await merge.addRejected(problems.takeRejected());
        run.onRows(run.rows);
        // A join reports the bad rows of all tables before its first record, so their share is known only at the end.
        if (run.rows >= MIN_ROWS_TO_CHECK && !isJoinJob(job) && !isOfParties(job)) problems.check(run.rows);
      }
    }
    await merge.addRejected(problems.takeRejected());
    requireWhole(run);
    problems.check(run.rows);
    await merge.finish();
  } finally {
    await merge.waitForWrite();
  }
  return { counts: merge.counts, end: merge.end, rows: run.rows - rowsBefore, tally };
}

/** A row, with the number of the file that it comes from. */
export interface FileRow {
  readonly row: PreparedRow;
  readonly fileId: number;
}

/** What rows are merged with: the records of a register, or a set of its parties. */
export interface Sink {
  /** Whether the store has no such rows: then only rows of this import can have the same id. */
  readonly isFirst: boolean;
  findStates(tx: Transaction, ids: readonly string[]): Promise<readonly StoredState[]>;
  /** Writes rows that are not stored and, if their ids are in `changed`, rows that are stored with other content. */
  write(rows: readonly FileRow[], changed: ReadonlySet<string>): Promise<void>;
  /** Gets the rows that are already stored with the same content. */
  visitUnchanged?: ((rows: readonly FileRow[]) => Promise<void>) | undefined;
  /** Notes rejected rows: the companies of such rows are not delisted. */
  addRejected?: (rows: readonly PlacedRow[]) => Promise<void>;
}

/** Rows per statement. */
const BATCH = 1_000;
/** In characters. Long rows are written in smaller batches, so that two of them fit into memory. */
const MAX_BATCH_LENGTH = 8 * 1024 * 1024;

/**
 * Writes only new and changed rows: for each batch it reads the stored hashes of its ids once, compares them and hands the difference to the
 * sink. The first row with an id wins; later ones are duplicates. Ids of unchanged rows are kept in the temporary table `seen`, so that
 * memory does not grow with the file.
 */
export async function createMerge(tx: Transaction, sink: Sink, firstFile: number) {
  await createIds(tx, 'seen');
  const filter = sink.isFirst ? createIdFilter() : null;
  /** `relisted` counts the changed entities that were delisted before. */
  const counts = { added: 0, changed: 0, unchanged: 0, duplicates: 0, relisted: 0 };
  let waiting: FileRow[] = [];
  let waitingLength = 0;

  // One batch is written while the next batch is mapped. A batch must see the rows of the previous batch.
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

  async function write(items: readonly FileRow[]): Promise<void> {
    const batch = new Map<string, FileRow>();
    for (const item of items) if (!batch.has(item.row.id)) batch.set(item.row.id, item);
    const mayExist = [...batch.keys()].filter((id) => filter === null || filter.add(id));
    const unchanged: FileRow[] = [];
    const differing: string[] = [];
    const repeated: string[] = [];
    for (const { id, contentHash, fileId } of await sink.findStates(tx, mayExist)) {
      const item = batch.get(id) as FileRow;
      if (fileId >= firstFile) repeated.push(id);
      else if (item.row.contentHash === contentHash) unchanged.push(item);
      else {
        differing.push(id);
        if (contentHash === DELISTED_HASH) counts.relisted++;
      }
    }
    // A row that differs from the stored one is still a duplicate if an earlier row of this import was equal to it.
    repeated.push(...(await findSeen(tx, differing)));
    const changed = new Set(differing).difference(new Set(repeated));
    const unchangedIds = unchanged.map(({ row }) => row.id);
    const newlySeen = await insertIds(tx, 'seen', unchangedIds);
    for (const id of [...unchangedIds, ...repeated]) batch.delete(id);
    await sink.write([...batch.values()], changed);
    await sink.visitUnchanged?.(unchanged);
    counts.duplicates += items.length - batch.size - newlySeen;
    counts.unchanged += newlySeen;
    counts.changed += changed.size;
    counts.added += batch.size - changed.size;
  }

  return {
    counts,
    async add(rows: readonly PreparedRow[], fileId: number): Promise<void> {
      for (const row of rows) {
        waiting.push({ row, fileId });
        waitingLength += row.content.length;
        if (waiting.length === BATCH || waitingLength >= MAX_BATCH_LENGTH) await flush();
      }
    },
    async addRejected(rows: readonly PlacedRow[]): Promise<void> {
      if (rows.length === 0) return;
      await writing;
      await sink.addRejected?.(rows);
    },
    /** Waits for the pending write, even if it fails: no statement may be running when the transaction ends. */
    waitForWrite: () => writing.catch(() => undefined),
    async finish(): Promise<void> {
      await flush();
      await writing;
    },
    /** From now on, nothing knows which rows the import contained. */
    end: () => dropIds(tx, 'seen'),
  };
}

/**
 * A Bloom filter of ids of entities or parties. The filter answers "not added before" for nearly all new ids, so that an import into an empty
 * register does not query the database for each id. The filter has a fixed size and never denies an id that was added.
 */
export function createIdFilter() {
  const words = new Uint32Array(BITS / 32);
  /** Sets the bit, and returns whether it was set before. */
  const set = (bit: number): boolean => {
    const word = words[bit >>> 5] as number;
    const mask = 1 << (bit & 31);
    words[bit >>> 5] = word | mask;
    return (word & mask) !== 0;
  };
  return {
    /** Adds the id. False if it was certainly not added before. */
    add(id: string): boolean {
      // An id is a hash, so its first and its last characters are as good as two hashes.
      const isFirstKnown = set(hashBits(id, 0));
      return set(hashBits(id, id.length - LENGTH)) && isFirstKnown;
    },
  };
}

/** 8 MB. With 5 million ids 2 % of the answers are "maybe", with 20 million 20 %. */
const BITS = 2 ** 26;

const LENGTH = 8;

/** FNV-1a of eight characters. */
function hashBits(id: string, start: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + LENGTH; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 13)) & (BITS - 1);
}
