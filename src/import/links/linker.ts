import type { Transaction } from '../../base/db/db.ts';
import type { PreparedRow } from '../mapping/record.ts';
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
} from '../store.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * While there are no links at all, it runs no statement per batch. Unless the import `isFirst` of its register, it also
 * collects in the table `related` which entities of other registers it changes, for the journal. An import writes an
 * entity only once, so no later batch undoes a change of its link. A register never links to itself.
 */
export async function createLinker(tx: Transaction, isFirst: boolean) {
  const hadLinks = await hasLinks(tx);
  let isLinked = hadLinks;
  if (!isFirst) await createIds(tx, 'related');

  /** The entities that already link to new ones now show them, and the new ones are found by their numbers. */
  async function linkWritten(ids: readonly string[], changed: ReadonlySet<string>): Promise<void> {
    const links = await findLinks(tx, ids);
    await linkNumbers(tx, [...new Set(links.map(({ to }) => to))]);
    if (isFirst) return;
    const newlyShown = links.filter(({ to }) => !changed.has(to));
    const shown = newlyShown.map(({ from }) => from);
    await insertIds(tx, 'related', shown);
  }

  /** The entities whose links now show another counterpart. A link to a company that is not imported shows no counterpart. */
  async function findRelated(moved: readonly LinkChange[]): Promise<ReadonlySet<string>> {
    const shown = new Set(await findExisting(tx, [...new Set(moved.flatMap(({ targets }) => targets))]));
    return new Set(moved.filter(({ targets }) => targets.some((id) => shown.has(id))).map(({ from }) => from));
  }

  return {
    /**
     * Updates the links of entities just written, and the linked numbers of these entities and of those they link to or
     * used to link to. Returns the ids of changed entities that now show another counterpart.
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

interface LinkChange {
  readonly from: string;
  /** The entity it linked to, and the one it links to now. */
  readonly targets: readonly string[];
  /** Whether they are not the same, or one of them is missing. Otherwise only the numbers differ. */
  readonly isMoved: boolean;
}

function compareLinks(former: readonly StoredLink[], current: readonly StoredLink[]): LinkChange[] {
  const before = new Map(former.map((link) => [link.from, link]));
  const after = new Map(current.map((link) => [link.from, link]));
  const changes: LinkChange[] = [];
  for (const from of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(from), after.get(from)];
    if (old?.to === now?.to && old?.numbers === now?.numbers) continue;
    const targets = new Set([old, now].flatMap((link) => link?.to ?? []));
    changes.push({ from, targets: [...targets], isMoved: old?.to !== now?.to });
  }
  return changes;
}
