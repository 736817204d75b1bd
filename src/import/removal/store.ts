import type { Db, Queries, Value } from '../../base/db/db.ts';
import { PARTIES, PARTY, toParty } from '../../registry/parties/store.ts';
import type { FileModes } from '../../registry/records/imports/store.ts';
import { contentColumns } from '../../registry/records/store.ts';

/** The SQL of removing persons from a store that was filled in a higher mode. */

/** Records the modes of files after a removal. */
export async function replaceFileModes(tx: Queries, { register, modes }: FileModes, lowered: string): Promise<void> {
  await tx.run('UPDATE files SET modes = $1 WHERE register = $2 AND modes = $3', [lowered, register, modes]);
}

export async function deletePersons(tx: Queries, register: string, set: string): Promise<number> {
  const of = [register, set];
  const deleted = await tx.run('DELETE FROM parties WHERE register = $1 AND set_name = $2 AND is_person = 1', of);
  await tx.run('UPDATE party_sets SET parties = parties - $3 WHERE register = $1 AND set_name = $2', [...of, deleted]);
  return deleted;
}

/** A record, and what its hash depends on. */
export interface StoredContent {
  readonly id: string;
  readonly contentHash: string;
  readonly linkedNumbers: string;
  readonly linkedId: string | null;
  /** The column names of the record's source, as JSON; null for a tree. */
  readonly columns: string | null;
  readonly modes: string;
  /** The values of `contentColumns`, in their order. */
  readonly content: readonly Value[];
}

const SELECT = `SELECT e.id, e.content_hash, e.linked_numbers, (SELECT min(to_id) FROM links WHERE from_id = e.id), l.columns,
    f.modes, ${contentColumns.map((column) => `e.${column}`).join(', ')} FROM entities e LEFT JOIN layouts l ON l.id = e.layout
    JOIN files f ON f.id = e.file_id`;

/** The next records of a register after this id. */
export async function listContents(tx: Queries, register: string, after: string, limit: number) {
  const rows = await tx.rows(`${SELECT} WHERE e.register = $1 AND e.id > $2 ORDER BY e.id LIMIT $3`, [
    register,
    after,
    limit,
  ]);
  return rows.map(toContent);
}

export async function findContent(tx: Queries, id: string): Promise<StoredContent | undefined> {
  return (await tx.rows(`${SELECT} WHERE e.id = $1`, [id])).map(toContent)[0];
}

function toContent(row: readonly Value[]): StoredContent {
  const [id, contentHash, linkedNumbers, linkedId, columns, modes, ...content] = row;
  return { id, contentHash, linkedNumbers, linkedId, columns, modes, content } as StoredContent;
}

export async function updateContent(
  tx: Queries,
  id: string,
  { registry, sourceData, contentHash }: { registry: string; sourceData: string; contentHash: string },
): Promise<void> {
  const sql = 'UPDATE entities SET registry = $2, source_data = $3, content_hash = $4 WHERE id = $1';
  await tx.run(sql, [id, registry, sourceData, contentHash]);
}

/** The next parties of companies of a register after this id. */
export async function listPartyRows(tx: Queries, register: string, after: string, limit: number) {
  const sql = `SELECT ${PARTY} FROM ${PARTIES} WHERE p.register = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`;
  return (await tx.rows(sql, [register, after, limit])).map(toParty);
}

export async function listPartyRowsOf(tx: Queries, register: string, company: string) {
  const sql = `SELECT ${PARTY} FROM ${PARTIES} WHERE p.company = $1 AND p.register = $2`;
  return (await tx.rows(sql, [company, register])).map(toParty);
}

export async function updateParty(
  tx: Queries,
  id: string,
  { sourceData, contentHash }: { readonly sourceData: string; readonly contentHash: string },
): Promise<void> {
  await tx.run('UPDATE parties SET source_data = $2, content_hash = $3 WHERE id = $1', [id, sourceData, contentHash]);
}

/** SQLite: what this connection deletes from now on is overwritten with zeros. PostgreSQL has no such setting. */
export async function eraseDeleted(db: Db): Promise<void> {
  if (db.engine === 'sqlite') await db.run('PRAGMA secure_delete = ON');
}
