import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Json } from '../../src/core/source-files.ts';
import type { Db } from '../../src/db/db.ts';
import { registers } from '../../src/registers/index.ts';
import { listGenerators } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { assertProven, useProofs } from './proving.ts';

const ROWS = runs(30, 60);

/** Appends a character to the first text in the stored cells. */
function changeFirstText(cells: Json): Json {
  if (typeof cells === 'string') return `${cells}!`;
  if (typeof cells !== 'object' || cells === null) return cells;
  const entries = Object.entries(cells);
  for (const entry of entries) {
    const changed = changeFirstText(entry[1]);
    if (changed === entry[1]) continue;
    entry[1] = changed;
    return Array.isArray(cells) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }
  return cells;
}

async function changeCell(db: Db, id: string): Promise<void> {
  const row = await db.one<{ source_data: string }>('SELECT source_data FROM entities WHERE id = $1', [id]);
  const changed = JSON.stringify(changeFirstText(JSON.parse(row?.source_data ?? '')));
  await db.run('UPDATE entities SET source_data = $1 WHERE id = $2', [changed, id]);
}

/** The record then claims the row after its own. */
async function shiftRow(db: Db, id: string): Promise<void> {
  const row = await db.one<{ place: number; origins: string | null }>(
    'SELECT place, origins FROM entities WHERE id = $1',
    [id],
  );
  const next = Number(row?.place) + 1;
  // The part with the main row is the first one.
  const origins = row?.origins?.replace(/^(\d+):[^;]+/, `$1:${next}`) ?? null;
  await db.run('UPDATE entities SET place = $1, origins = $2 WHERE id = $3', [next, origins, id]);
}

for (const engine of usualEngines) {
  describe(`proofs of every register on ${engine}`, () => {
    const { store, keep, import: importFrom, prove, listIds } = useProofs(engine);
    const generators = registers.flatMap((register) =>
      listGenerators(register).map((generate, layout) => ({ register, generate, layout })),
    );
    for (const { register, generate, layout } of generators) {
      const name = layout === 0 ? 'a' : 'another';
      test(`${register.id}: records of ${name} generated file are proven, unless the store changes`, async () => {
        const folder = join(store.folder, 'generated', register.id, String(layout));
        mkdirSync(folder, { recursive: true });
        const kept = await keep(register, [await writeSynthetic(folder, generate(ROWS, 7))]);
        // The first file of each register without persons, the others as published.
        await importFrom(register, kept, layout === 0 ? { parties: ORGANISATIONS } : {});
        const ids = await listIds(register);
        assert.ok(ids.length >= ROWS - 5);
        // The records with the most rows, the fewest, and one between.
        const chosen = [...ids.slice(0, runs(2, ROWS)), ids[ids.length >> 1] as string, ids.at(-1) as string];
        const withheld: string[] = [];
        for (const id of chosen) {
          const proof = await prove(id);
          assertProven(proof);
          assert.equal(proof.synthetic, true);
          assert.match(proof.message, /invented/);
          for (const column of proof.cells?.withheld ?? []) assert.ok(proof.message.includes(column), proof.message);
          withheld.push(...(proof.cells?.withheld ?? []));
        }
        // They are imported in the mode `organisations`.
        assert.ok(
          withheld.length > 0 || !['br', 'md', 'ro', 'ua'].includes(register.id) || layout > 0,
          String(withheld),
        );
        const [first = '', second = ''] = ids;
        await changeCell(store.db, first);
        const changed = await prove(first);
        assert.equal(changed.outcome, 'different');
        assert.deepEqual([changed.cells?.differ, changed.fields?.differ], [1, 0]);
        const [difference] = changed.cells?.differences ?? [];
        assert.equal(difference?.stored, `${difference?.original}!`);
        await shiftRow(store.db, second);
        const shifted = await prove(second);
        assert.equal(shifted.outcome, 'different');
        assert.ok((shifted.cells?.differ ?? 0) > 0);
      });
    }
  });
}
