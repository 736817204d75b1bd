import type { Clock } from '../../base/clock.ts';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Db, Transaction, Value } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { createPruning } from '../../base/system/background-work.ts';
import {
  type ContentColumn,
  contentColumns,
  DELISTED_HASH,
  deleteEntities,
  delistEntities,
  type NewEntity,
} from '../records/store.ts';
import { createFieldHider, type MarkedRegister } from '../records/withholding.ts';
import { compareContent, describeDetails, type FieldName, writeFields } from './details.ts';
import * as store from './store.ts';

/**
 * Collects what an import changes, one change per entity, and writes it in the transaction of the import. The first
 * import of a register is one change per country instead. This folder owns the tables `journal` and `changes`.
 */
export type JournalTotals = Pick<store.JournalEntry, 'changes' | 'loaded' | 'mixed'>;

interface Difference {
  readonly type: 'changed' | 'relisted';
  readonly fields: Set<FieldName>;
  /** The former values of the columns in `SHOWN`. */
  readonly before: readonly Value[];
  readonly details: string | null;
}

/** The ids of entities that changed although their rows did not. */
interface Others {
  /** Entities that show another counterpart. */
  readonly related: ReadonlySet<string>;
  readonly parties?: ReadonlySet<string> | undefined;
}

const SHOWN: readonly ContentColumn[] = ['canonical_name', 'status', 'legal_form', 'registered_at'];
const SHOWN_AT = SHOWN.map((column) => contentColumns.indexOf(column));
const NOT_SHOWN = SHOWN.map(() => null);
const COUNTRY_AT = contentColumns.indexOf('country_code');

/** Stored versions are read in small parts, because their texts can be long. */
const REPLACE_SIZE = 64;
/** Few rows per batch of an import are changed, so the rows of several batches are written together. */
const WRITE_SIZE = 1_000;

export function createJournal(tx: Transaction, register: MarkedRegister, batch: number, isFirst: boolean) {
  const hideFields = createFieldHider(register);
  let waiting: (readonly Value[])[] = [];
  let position = 0;

  async function write(): Promise<void> {
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) await store.insertChanges(tx, rows);
  }

  function push(type: string, id: string | null, country: Value, rest: readonly Value[]): void {
    waiting.push([batch, position, type, id, country, register.id, ...rest]);
    position++;
  }

  /** Writes changes with a statement that numbers the changes itself. */
  async function insertSelected(insert: (place: store.Place) => Promise<number>): Promise<number> {
    await write();
    const count = await insert({ batch, position });
    position += count;
    return count;
  }

  return {
    /** Deletes the stored versions of these entities and returns what differs in the new versions. */
    async replace(entities: readonly NewEntity[]): Promise<ReadonlyMap<string, Difference>> {
      const differences = new Map<string, Difference>();
      for (let at = 0; at < entities.length; at += REPLACE_SIZE) {
        const part = new Map(entities.slice(at, at + REPLACE_SIZE).map((entity) => [entity.id, entity]));
        for (const former of await deleteEntities(tx, [...part.keys()])) {
          const { content } = part.get(former.id) as NewEntity;
          differences.set(former.id, {
            type: former.contentHash === DELISTED_HASH ? 'relisted' : 'changed',
            fields: compareContent(former, content),
            before: SHOWN_AT.map((index) => former.content[index] as Value),
            details: describeDetails(former.content, content, hideFields),
          });
        }
      }
      return differences;
    },
    /** Adds the entities of a batch: new entities, and the entities in `differences`. */
    async add(
      entities: readonly NewEntity[],
      differences: ReadonlyMap<string, Difference>,
      { related, parties }: Others,
    ): Promise<void> {
      if (isFirst) return;
      for (const { id, content } of entities) {
        const difference = differences.get(id);
        const after = SHOWN_AT.map((index) => content[index] as Value);
        const country = content[COUNTRY_AT] as Value;
        if (difference === undefined) push('added', id, country, ['[]', ...NOT_SHOWN, ...after, null]);
        else {
          const { type, fields, before, details } = difference;
          if (related.has(id)) fields.add('related');
          if (parties?.has(id)) fields.add('parties');
          push(type, id, country, [writeFields(fields), ...before, ...after, details]);
        }
      }
      if (waiting.length >= WRITE_SIZE) await write();
    },
    /** Delists all entities of the register that this import did not contain. Returns how many entities. */
    async delistMissing(now: number): Promise<number> {
      if (isFirst) return 0;
      const first = position;
      const count = await insertSelected((place) => store.insertDelisted(tx, place, register.id));
      if (count > 0) await delistEntities(tx, batch, first, now);
      return count;
    },
    /** Writes the remaining changes: entities of other registers changed through links. */
    async finish(addedByCountry: ReadonlyMap<string, number>): Promise<JournalTotals> {
      if (isFirst) {
        for (const country of addedByCountry.keys())
          push('loaded', null, country, ['[]', ...NOT_SHOWN, ...NOT_SHOWN, null]);
        await write();
        return { changes: position, loaded: position > 0, mixed: false };
      }
      const related = await insertSelected((place) => store.insertRelated(tx, place));
      return { changes: position, loaded: false, mixed: related > 0 };
    },
  };
}

const DAY = 86_400_000;
/** On SQLite a batch blocks the event loop, for 2 ms in a journal of a million changes. These settings remove 4,000 changes per second. */
const BATCHES = { name: 'journal pruning', size: 100, pauseMs: 20 };

/**
 * Removes old entries of the journal, as background work of a server. The entries of `journal` go first, all at once: without its entry, a change is
 * invisible. Then the changes go in small batches. The newest entry always stays, because readers compare their state with it, and the last entry whose
 * changes are removed stays, because readers continue after it.
 */
export function createJournalPruning(db: Db, clock: Clock, log: Log, keepDays: number) {
  /** Imports are removed in their order. An import that was published late may keep later imports waiting until it is removed itself. */
  async function removeChanges(signal: AbortSignal | undefined): Promise<number> {
    for (let total = 0; ; ) {
      const batch = await store.findUnlisted(db);
      if (batch === undefined) return total;
      const removed = await changeInBatches({ db, ...BATCHES, signal }, (tx, limit) =>
        store.deleteFirstChanges(tx, batch, limit),
      );
      total += removed;
      // Nothing is removed here while another machine removes changes.
      if (removed === 0 || signal?.aborted) return total;
    }
  }

  /** Removes the changes of imports that are older than JOURNAL_DAYS. Returns how many changes it removed. */
  async function prune(signal?: AbortSignal): Promise<number> {
    const { oldest, kept } = await store.findOldestKept(db, clock.now() - keepDays * DAY);
    if (oldest !== null && oldest < kept) await store.removeEntries(db, kept);
    const removed = await removeChanges(signal);
    if (removed > 0) log.info({ changes: removed }, 'old changes removed from the journal');
    return removed;
  }

  return createPruning(log, 'old changes could not be removed from the journal', prune);
}
