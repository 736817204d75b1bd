import type { Transaction } from '../db/db.ts';
import { hasSameContent, type PreparedRecord, readContent } from './record.ts';
import {
  createSeen,
  deleteEntities,
  deleteLinks,
  delistMissing,
  dropSeen,
  findSeen,
  hasLinks,
  insertEntities,
  insertLinks,
  linkNumbers,
  markSeen,
  type NewEntity,
  readStates,
} from './store.ts';

/** What merging did, in entities. */
export interface MergeCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly delisted: number;
  readonly duplicates: number;
}

export interface Merge {
  add(records: readonly PreparedRecord[], fileId: number): Promise<void>;
  /** Waits for what is being written, whatever comes of it: nothing may be under way when the transaction ends. */
  settle(): Promise<void>;
  /** Delists what a full import of the register did not bring; null for a partial one. */
  finish(full: { readonly register: string; readonly firstFile: number } | null): Promise<MergeCounts>;
}

const BATCH = 1_000;

/**
 * Writes only what is new or changed: each batch asks once what is stored under its ids, compares hashes, and loads the
 * difference. The first row of a number wins; further ones are duplicates. Unchanged ids are remembered in a temporary
 * table, so that memory does not grow with the file.
 */
export async function createMerge(tx: Transaction, now: number): Promise<Merge> {
  await createSeen(tx);
  let isLinked = await hasLinks(tx);
  const counts = { added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0 };
  let waiting: Item[] = [];
  let firstFileId = Number.POSITIVE_INFINITY;

  // One batch is being written while the next is mapped; a batch must see what the one before it wrote.
  let writing: Promise<void> = Promise.resolve();
  async function flush(): Promise<void> {
    const items = waiting;
    waiting = [];
    await writing;
    writing = write(items);
    // Awaited at the next flush; until then a failure must not count as unhandled.
    writing.catch(() => undefined);
  }

  async function write(items: readonly Item[]): Promise<void> {
    const batch = new Map<string, Item>();
    for (const item of items) {
      if (batch.has(item.record.id)) counts.duplicates++;
      else batch.set(item.record.id, item);
    }
    const unchanged: string[] = [];
    const differing: string[] = [];
    const repeated: string[] = [];
    for (const { id, contentHash, fileId } of await readStates(tx, [...batch.keys()], BATCH)) {
      const record = batch.get(id)?.record;
      if (fileId >= firstFileId) repeated.push(id);
      else if (record && hasSameContent(record, contentHash)) unchanged.push(id);
      else differing.push(id);
    }
    // What differs from a row of this very import that was unchanged is a duplicate too.
    repeated.push(...(await findSeen(tx, differing, BATCH)));
    const changed = differing.filter((id) => !repeated.includes(id));
    const noted = await markSeen(tx, unchanged, BATCH);
    for (const id of [...unchanged, ...repeated]) batch.delete(id);
    await deleteEntities(tx, changed, BATCH);
    await insertEntities(tx, toEntities(batch.values(), now));
    await link(batch);
    counts.duplicates += repeated.length + unchanged.length - noted;
    counts.unchanged += noted;
    counts.changed += changed.length;
    counts.added += batch.size - changed.length;
  }

  /** What came in may be linked to, and may link to others than before. Without any link it costs nothing. */
  async function link(batch: ReadonlyMap<string, Item>): Promise<void> {
    const links = [...batch.values()].flatMap(({ record }) =>
      record.link === null ? [] : [[record.id, record.link.to, record.link.numbers] as const],
    );
    isLinked ||= links.length > 0;
    if (!isLinked) return;
    const ids = [...batch.keys()];
    const before = await deleteLinks(tx, ids, BATCH);
    await insertLinks(tx, links);
    const touched = [...new Set([...ids, ...before, ...links.map(([, to]) => to)])];
    for (let at = 0; at < touched.length; at += BATCH) await linkNumbers(tx, touched.slice(at, at + BATCH), BATCH);
  }

  return {
    async add(records, fileId) {
      firstFileId = Math.min(firstFileId, fileId);
      for (const record of records) {
        waiting.push({ record, fileId });
        if (waiting.length === BATCH) await flush();
      }
    },
    settle: () => writing.catch(() => undefined),
    async finish(full) {
      await flush();
      await writing;
      if (full !== null) counts.delisted = await delistMissing(tx, full.register, full.firstFile, now);
      await dropSeen(tx);
      return counts;
    },
  };
}

interface Item {
  readonly record: PreparedRecord;
  readonly fileId: number;
}

function* toEntities(items: Iterable<Item>, now: number): Generator<NewEntity> {
  for (const { record, fileId } of items) {
    yield { ...record, fileId, updatedAt: now, content: readContent(record.content) };
  }
}
