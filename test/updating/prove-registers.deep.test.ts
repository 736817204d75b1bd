import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { listGenerators } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { assertProven, useProofs } from './proving.ts';

const ROWS = runs(30, 60);

for (const engine of usualEngines) {
  describe(`proofs of every register on ${engine}`, () => {
    const { store, keep, import: importFrom, prove, listIds } = useProofs(engine);
    const generators = registers.flatMap((register) =>
      listGenerators(register).map((generate, layout) => ({ register, generate, layout })),
    );
    for (const { register, generate, layout } of generators) {
      const name = layout === 0 ? 'a' : 'another';
      test(`${register.id}: records of ${name} generated file are proven`, async () => {
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
      });
    }
  });
}
