/**
 * The abuse suite: attacks on real servers, on both databases, and at the end a table of what held, with figures.
 * `attack.ts` says how to add an attack.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { after, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import type { Attack } from './attack.ts';

const rows: string[][] = [['attack', 'database', 'held', 'figures']];

const files = globSync('attacks/*.ts', { cwd: import.meta.dirname }).toSorted();
for (const file of files) {
  const module: { attacks?: readonly Attack[] } = await import(`./${file}`);
  if (module.attacks === undefined) throw new Error(`test/abuse/${file} must export "attacks"`);
  for (const attack of module.attacks) {
    for (const engine of attack.engines ?? engines) {
      test(`${attack.name} on ${engine}`, { timeout: attack.timeoutMs ?? 600_000 }, async () => {
        // A row for every attack, including those that throw or time out.
        const row = [attack.name, engine, 'no', 'did not finish'];
        rows.push(row);
        try {
          const { held, figures } = await attack.run(engine);
          row.splice(2, 2, held ? 'yes' : 'no', figures);
          assert.ok(held, figures);
        } catch (error) {
          if (row[3] === 'did not finish') row[3] = String(error).split('\n')[0] ?? '';
          throw error;
        }
      });
    }
  }
}

after(() => {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  console.log(`\n${lines.join('\n')}\n`);
});
