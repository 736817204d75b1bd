import type { Queries } from '../../src/base/db/db.ts';

/** The SQL of `bench update`. */

export async function readGeneration(db: Queries): Promise<number> {
  return (await db.one<{ generation: number }>('SELECT generation FROM generation WHERE id = 1'))?.generation ?? 0;
}
