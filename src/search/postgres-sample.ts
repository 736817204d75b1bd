import type { Db } from '../db/db.ts';
import { splitWords } from './memory/match/other-name-words.ts';

/**
 * How many entities have a word in their name, estimated from a sample of the names: all of a small store, some tens of thousands of a
 * large one. Words that the sample lacks are rare, and it does not matter how rare.
 */
export interface NameSample {
  entities(country?: string): number;
  count(word: string, country?: string): number;
}

const SAMPLED = 50_000;

export async function readNameSample(db: Db): Promise<NameSample> {
  const holdings = await db.one<{ entities: number }>('SELECT coalesce(sum(entities), 0) AS entities FROM holdings');
  const total = Number(holdings?.entities ?? 0);
  const percent = total <= SAMPLED ? 100 : (100 * SAMPLED) / total;
  const rows = await db.all<{ country: string; name: string }>(
    `SELECT country_code AS country, name_key AS name FROM entities TABLESAMPLE SYSTEM (${percent.toFixed(4)})`,
  );
  const counts = new Map<string, number>();
  const increase = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { country, name } of rows) {
    for (const key of ['', country]) {
      increase(`${key} `);
      for (const word of splitWords(name)) increase(`${key} ${word}`);
    }
  }
  const factor = 100 / percent;
  const read = (key: string) => Math.round((counts.get(key) ?? 0) * factor);
  return { entities: (country = '') => read(`${country} `), count: (word, country = '') => read(`${country} ${word}`) };
}
