import { findIsicOfKey, withParents } from '../classifications/isic.ts';
import type { Db } from '../db/db.ts';
import type { IsicCounts } from './choices.ts';
import { ACTIVITY_CLASSES } from './postgres-indexes.ts';

/** Counts the entities of each ISIC code. Companies with the same activities are read as one row, but there may be many rows. */
export async function countIsic(db: Db): Promise<IsicCounts> {
  const codes = new Map<string, number>();
  const registers = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, entities: number) =>
    counts.set(key, (counts.get(key) ?? 0) + entities);
  await db.snapshot(async (view) => {
    const sql = `SELECT register, array_to_string(${ACTIVITY_CLASSES}, chr(10)), count(*) FROM entities
      WHERE ${ACTIVITY_CLASSES} <> '{}' GROUP BY 1, 2`;
    for await (const rows of view.stream(sql)) {
      for (const [register, keys, entities] of rows as [string, string, number][]) {
        const found = keys.split('\n').flatMap((key) => findIsicOfKey(key) ?? []);
        for (const code of new Set(found.flatMap(withParents))) add(codes, code, Number(entities));
        if (found.length > 0) add(registers, register, Number(entities));
      }
    }
  });
  return { codes, registers };
}
