import { formatCount } from '../../core/format-count.ts';
import type { Transaction } from '../../db/db.ts';
import {
  createRejected,
  dropRejected,
  findExisting,
  findMissing,
  findResolvedRows,
  type ImportKey,
  insertRejected,
  keepRejected,
  type NamedCompany,
} from '../store.ts';
import type { RejectedRow } from './identify-row.ts';

/**
 * Keeps companies that a full import would delist only because their rows were rejected. A number in such a row leads to
 * its company. While no number can be read in a row, any missing company may be its company, so none is delisted.
 */
export interface PlacedRow extends RejectedRow {
  /** File and row. */
  readonly where: string;
}

/** What was kept, with the first examples. */
export interface Kept {
  /** Companies whose rows were rejected. */
  readonly found: number;
  /** Missing companies that were not delisted because of rows without a readable number. */
  readonly doubtful: number;
  /** One sentence for each. */
  readonly notes: readonly string[];
}

export const NOTHING_KEPT: Kept = { found: 0, doubtful: 0, notes: [] };

const BATCH = 1_000;
const MAX_NAMED = 10;
const MAX_PLACES = 1_000;

export async function createRejectedRows(tx: Transaction, key: ImportKey) {
  await createRejected(tx);
  let unreadable = 0;
  /** Of the first unreadable rows, whose numbers are 1, 2 and so on. */
  const places: string[] = [];
  return {
    async add(rows: readonly PlacedRow[]): Promise<void> {
      const pairs = rows.flatMap(({ ids, isUnreadable, where }) => {
        if (isUnreadable && unreadable++ < MAX_PLACES) places.push(where);
        const row = isUnreadable ? unreadable : 0;
        return ids.map((id) => [row, id] as const);
      });
      for (let at = 0; at < pairs.length; at += BATCH) {
        const part = pairs.slice(at, at + BATCH);
        const held = new Set(await findExisting(tx, [...new Set(part.map(([, id]) => id))], BATCH));
        await insertRejected(
          tx,
          part.filter(([, id]) => held.has(id)),
        );
      }
    },
    /** Call it after the last row. If the files are said to be complete, no missing company is doubtful. */
    async keep(areComplete: boolean): Promise<Kept> {
      const resolved = new Set(await findResolvedRows(tx, key));
      const found = await findMissing(tx, key, { ofRows: true, examples: MAX_NAMED });
      await keepRejected(tx, key);
      const doubted = areComplete ? 0 : unreadable - resolved.size;
      const all = await findMissing(tx, key, { ofRows: false, examples: MAX_NAMED });
      const doubtful = doubted > 0 ? all.count : 0;
      const where = places.filter((_, index) => !resolved.has(index + 1)).slice(0, 3);
      return {
        found: found.count,
        doubtful,
        notes: [
          ...(found.count === 0 ? [] : [describeFound(found.count, listNames(found))]),
          ...(doubtful === 0 ? [] : [describeDoubtful(doubtful, doubted, where, listNames(all))]),
        ],
      };
    },
    end: () => dropRejected(tx),
  };
}

function describeFound(count: number, names: string): string {
  return count === 1
    ? `1 company keeps its data, because its row was rejected: ${names}`
    : `${formatCount(count)} companies keep their data, because their rows were rejected: ${names}`;
}

function describeDoubtful(count: number, rows: number, where: readonly string[], names: string): string {
  const companies =
    count === 1 ? '1 company that the files lack was' : `${formatCount(count)} companies that the files lack were`;
  const inRows = rows === 1 ? '1 rejected row' : `${formatCount(rows)} rejected rows`;
  const shown = rows > where.length ? `${where.join('; ')}; …` : where.join('; ');
  return (
    `${companies} not delisted, because no number can be read in ${inRows}, which may be theirs (${shown}): ` +
    `${names}. If the files are complete, import them with --full`
  );
}

function listNames({ count, first }: { readonly count: number; readonly first: readonly NamedCompany[] }): string {
  const names = first.map(({ name, number }) => (number === null ? name : `${name} (${number})`)).join(', ');
  return count > first.length ? `${names} and ${formatCount(count - first.length)} more` : names;
}
