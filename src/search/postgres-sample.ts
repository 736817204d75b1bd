import type { Db } from '../db/db.ts';
import { countWords, type NameSample, SAMPLED } from './match-lookups.ts';
import { estimateEntities } from './store.ts';

/** All names of a small store, some tens of thousands of a large one. */
export async function readNameSample(db: Db): Promise<NameSample> {
  const total = await estimateEntities(db);
  const percent = total <= SAMPLED ? 100 : (100 * SAMPLED) / total;
  const rows = await db.all<{ country: string; name: string }>(
    `SELECT country_code AS country, name_key AS name FROM entities TABLESAMPLE SYSTEM (${percent.toFixed(4)})`,
  );
  return countWords(rows, percent / 100);
}
