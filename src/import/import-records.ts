import type { Transaction } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import { createJournal, type JournalTotals } from '../registry/journal/journal.ts';
import { parseContent } from '../registry/records/record-content.ts';
import { contentColumns, findStates, hasEntities, insertEntities, type NewEntity } from '../registry/records/store.ts';
import type { MarkedRegister } from '../registry/records/withholding.ts';
import { limitLoss, listUpdates, requireMost } from './history.ts';
import { openRecordParties, type RecordParties } from './import-parties.ts';
import type { PreparedRow } from './mapping/prepare.ts';
import { createRejectedRows, NOTHING_KEPT } from './rejected/rejected-rows.ts';
import { type FileRow, importRows, type Run, type Sink } from './road.ts';
import {
  createIds,
  deleteLinks,
  dropIds,
  findExisting,
  findLinks,
  hasLinks,
  insertIds,
  insertLinks,
  linkNumbers,
  type StoredLink,
} from './store.ts';

/** The result of an import without companies. */
const NOTHING = {
  /** Entities; `duplicates` are rows. `relisted`: how many of the changed entities were delisted before. */
  counts: { added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0, relisted: 0 },
  addedByCountry: new Map<string, number>(),
  kept: NOTHING_KEPT,
  journal: { changes: 0, loaded: false, mixed: false } as JournalTotals,
  parties: undefined as RecordParties | undefined,
};

/**
 * Imports files of companies. An import that is not partial delists the companies that its files lack. Without a mode, no company
 * is delisted while a missing company may be the company of an unreadable row.
 */
export async function importRecords(run: Run): Promise<typeof NOTHING> {
  const { tx, register, jobs, firstFile, mode, now, held } = run;
  if (jobs.length === 0) return NOTHING;
  const parties = await openRecordParties(run);
  const sink = await createRecordSink(tx, register, now, firstFile, parties);
  const merged = await importRows(run, jobs, sink);
  const limit = limitLoss(held, listUpdates(run.past, now), now);
  const kept = mode === 'partial' ? NOTHING_KEPT : await sink.keepRejected(mode === 'full');
  // Companies of the store that the files have, including companies of rejected rows.
  const { counts } = merged;
  const found = counts.changed - counts.relisted + counts.unchanged + kept.found;
  const things = held === 1 ? '1 company' : `${formatCount(held)} companies`;
  if (mode === undefined) requireMost(found, held, limit, { things, loss: 'delist' });
  const delisted = mode === 'partial' || kept.doubtful > 0 ? 0 : await sink.delistMissing();
  const journal = await sink.close();
  await merged.end();
  const listed = (await parties?.finish({ batch: firstFile, position: journal.changes })) ?? 0;
  return {
    counts: { ...counts, delisted },
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
  const rejected = isFirst ? null : createRejectedRows(tx, { register: register.id, firstFile });
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
      return totals;
    },
  } satisfies Sink & Record<string, unknown>;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Updates links. Without any links, no statement runs per batch. Unless the import `isFirst` of its register, the table
 * `related` collects the entities of other registers that the import changes, for the journal. An import writes an
 * entity only once, so no later batch undoes a change of its link. A register never links to itself.
 */
async function createLinker(tx: Transaction, isFirst: boolean) {
  const hadLinks = await hasLinks(tx);
  let isLinked = hadLinks;
  if (!isFirst) await createIds(tx, 'related');

  /** Entities that already link to new entities now show them, and new entities are found by the numbers of entities that link to them. */
  async function linkWritten(ids: readonly string[], changed: ReadonlySet<string>): Promise<void> {
    const links = await findLinks(tx, ids);
    await linkNumbers(tx, [...new Set(links.map(({ to }) => to))]);
    const newlyShown = links.filter(({ to }) => !changed.has(to)).map(({ from }) => from);
    if (!isFirst) await insertIds(tx, 'related', newlyShown);
  }

  /** The entities whose links now show another counterpart. A link to a company that is not imported shows no counterpart. */
  async function findRelated(moved: readonly LinkChange[]): Promise<ReadonlySet<string>> {
    const shown = new Set(await findExisting(tx, [...new Set(moved.flatMap(({ targets }) => targets))]));
    return new Set(moved.filter(({ targets }) => targets.some((id) => shown.has(id))).map(({ from }) => from));
  }

  return {
    /**
     * Updates the links of entities just written, and the linked numbers of these entities and of their former and
     * current link targets. Returns the ids of changed entities that now show another counterpart.
     */
    async update(written: readonly PreparedRow[], changed: ReadonlySet<string>): Promise<ReadonlySet<string>> {
      const links = written.flatMap(({ id, link }) => (link ? [{ from: id, ...link }] : []));
      isLinked ||= links.length > 0;
      if (!isLinked) return NONE;
      const ids = written.map(({ id }) => id);
      const former = hadLinks ? await deleteLinks(tx, ids) : [];
      await insertLinks(tx, links);
      await linkWritten(ids, changed);
      const changes = compareLinks(former, links);
      const linked = await linkNumbers(tx, [...new Set(changes.flatMap(({ targets }) => targets))]);
      if (!isFirst) await insertIds(tx, 'related', linked);
      return findRelated(changes.filter(({ from, isMoved }) => isMoved && changed.has(from)));
    },
    async end(): Promise<void> {
      if (!isFirst) await dropIds(tx, 'related');
    },
  };
}

/** A changed link, with its former and its current target. `isMoved`: the targets differ. Otherwise only the numbers differ. */
interface LinkChange {
  readonly from: string;
  readonly targets: readonly string[];
  readonly isMoved: boolean;
}

function compareLinks(former: readonly StoredLink[], current: readonly StoredLink[]): LinkChange[] {
  const before = new Map(former.map((link) => [link.from, link]));
  const after = new Map(current.map((link) => [link.from, link]));
  const changes: LinkChange[] = [];
  for (const from of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(from), after.get(from)];
    if (old?.to === now?.to && old?.numbers === now?.numbers) continue;
    const targets = [...new Set([old, now].flatMap((link) => link?.to ?? []))];
    changes.push({ from, targets, isMoved: old?.to !== now?.to });
  }
  return changes;
}
