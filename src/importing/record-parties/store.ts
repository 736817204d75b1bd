import { listPlaceholders, padList } from '../../core/pad-list.ts';
import { BENEFICIAL_OWNERS } from '../../core/party-modes.ts';
import type { Queries, Value } from '../../db/db.ts';

/** The SQL of parties inside records: which records to read, and the rows that their parties had. */

/** A record of a company that may have parties. */
export interface RecordOfParties {
  readonly id: string;
  /** The number of its first registration. */
  readonly number: string | null;
  readonly fileId: number;
  readonly place: number;
  /** JSON. */
  readonly registry: string;
}

/** Records that this import has delisted, from a position of its journal on. */
export async function listDelisted(tx: Queries, batch: number, from: number, limit: number) {
  return tx.all<Omit<RecordOfParties, 'registry'> & { readonly position: number }>(
    `SELECT c.position, e.id, e.registration_number AS number, e.file_id AS "fileId", e.place FROM changes c
      JOIN entities e ON e.id = c.entity_id WHERE c.batch = $1 AND c.position >= $2 AND c.type = 'delisted' ORDER BY c.position LIMIT $3`,
    [batch, from, limit],
  );
}

/** Collects the ids of all records of the register with parties, because no index has them in an order. */
export async function createPending(tx: Queries, register: string): Promise<void> {
  await tx.run('CREATE TEMPORARY TABLE pending (id TEXT PRIMARY KEY)');
  await tx.run(
    `INSERT INTO pending SELECT id FROM entities WHERE register = $1 AND status <> 'delisted' AND registry LIKE '%"parties":[%'`,
    [register],
  );
}

export async function dropPending(tx: Queries): Promise<void> {
  await tx.run('DROP TABLE pending');
}

export async function readPending(tx: Queries, after: string, limit: number): Promise<RecordOfParties[]> {
  const rows = await tx.rows(
    `SELECT e.id, e.registration_number, e.file_id, e.place, e.registry FROM (SELECT id FROM pending WHERE id > $1 ORDER BY id LIMIT $2) p
      JOIN entities e ON e.id = p.id ORDER BY e.id`,
    [after, limit],
  );
  return rows.map(([id, number, fileId, place, registry]: Value[]) => {
    return { id, number, fileId, place, registry } as RecordOfParties;
  });
}

export const IN_RECORD = 'record';
/** The sets of parties that records have inside, besides those of files. */
export const recordPartySets = [IN_RECORD, BENEFICIAL_OWNERS] as const;
export type RecordPartySet = (typeof recordPartySets)[number];

interface DeletedParty {
  readonly id: string;
  readonly set: RecordPartySet;
  readonly company: string;
  readonly contentHash: string;
}

/** Deletes the parties that records of these companies had. Returns what they were. */
export async function deleteRecordParties(
  tx: Queries,
  register: string,
  companies: readonly string[],
  size: number,
): Promise<DeletedParty[]> {
  if (companies.length === 0) return [];
  return tx.all<DeletedParty>(
    `DELETE FROM parties WHERE company IN (${listPlaceholders(size)}) AND register = $${size + 1}
      AND set_name IN (${recordPartySets.map((set) => `'${set}'`).join(', ')})
      RETURNING id, set_name AS "set", company, content_hash AS "contentHash"`,
    [...padList(companies, size), register],
  );
}
