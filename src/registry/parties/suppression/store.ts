import type { Queries, Reads } from '../../../base/db/db.ts';
import type { SuppressedParty } from '../../records/withholding.ts';

/** The SQL of parties that were removed at somebody's request. This folder owns the table `suppressed`. */

export interface SuppressedEntry extends SuppressedParty {
  readonly register: string;
  readonly reason: string | null;
  readonly suppressedAt: number;
}

const COLUMNS = 'entity_id AS "entityId", party, register, company, reason, suppressed_at AS "suppressedAt"';

export async function listSuppressed(db: Reads): Promise<SuppressedEntry[]> {
  return db.all<SuppressedEntry>(`SELECT ${COLUMNS} FROM suppressed ORDER BY suppressed_at, entity_id, party`);
}

export async function listSuppressedIn(db: Reads, register: string): Promise<SuppressedEntry[]> {
  return db.all<SuppressedEntry>(`SELECT ${COLUMNS} FROM suppressed WHERE register = $1`, [register]);
}

export async function listSuppressedOf(db: Reads, entityId: string): Promise<SuppressedEntry[]> {
  return db.all<SuppressedEntry>(`SELECT ${COLUMNS} FROM suppressed WHERE entity_id = $1`, [entityId]);
}

export async function insertSuppressed(tx: Queries, entry: SuppressedEntry): Promise<void> {
  const { entityId, party, register, company, reason, suppressedAt } = entry;
  await tx.run(
    `INSERT INTO suppressed (entity_id, party, register, company, reason, suppressed_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (entity_id, party) DO UPDATE SET reason = $5`,
    [entityId, party, register, company, reason, suppressedAt],
  );
}

/** Returns whether the entry existed. */
export async function deleteSuppressed(tx: Queries, entityId: string, party: string): Promise<boolean> {
  return (await tx.run('DELETE FROM suppressed WHERE entity_id = $1 AND party = $2', [entityId, party])) > 0;
}
