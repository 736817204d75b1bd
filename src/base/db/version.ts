import { describeVersion } from '../version.ts';
import type { Queries } from './db.ts';

/** Identifies the registry data that is in the store now. It is here because both the registry and search read it. */
export async function readVersion(db: Pick<Queries, 'one'>): Promise<string> {
  const sql = 'SELECT generation, published_at AS "publishedAt" FROM generation WHERE id = 1';
  const row = await db.one<{ generation: number; publishedAt: number | null }>(sql);
  return describeVersion(row?.generation ?? 0, row?.publishedAt ?? null);
}
