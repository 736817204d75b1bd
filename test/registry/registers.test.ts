import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { writeSynthetic } from '../../src/formats/write.ts';
import type { Register } from '../../src/registers/contract.ts';
import { plannedCountries, registers } from '../../src/registers/index.ts';
import { importFiles } from '../../src/registry/import.ts';
import { recognizeFile } from '../../src/registry/recognize.ts';
import { renderSourceData } from '../../src/registry/source-data.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';

const samples = fileURLToPath(new URL('../../../shared/registers/samples/', import.meta.url));

/**
 * Official sample files of each register, where this machine has them; files that belong together are one import. JSON
 * records saved by others are no bulk files, so a register may have none.
 */
const SAMPLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ee: [['ettevotja_rekvisiidid__lihtandmed.csv']],
  gb: [['CH.csv'], ['companies-input.csv']],
  lt: [['JAR_IREGISTRUOTI.csv']],
  lv: [['register.csv']],
  md: [['company-example.xlsx']],
  no: [['enheter-selection.csv']],
};

/** The cells of every row after the header, or the records: what must come back out of `sourceData`. */
async function readSource(path: string, register: Register): Promise<Map<number, string>> {
  const opened = await recognizeFile(path, register, []);
  const rows = new Map<number, string>();
  for (const part of opened.parts) {
    if (part.source.map === undefined) continue;
    if ('header' in part) {
      const { texts, place: headerPlace } = part.header;
      for await (const batch of part.read(() => undefined)) {
        for (const { place, value } of batch) {
          const cells = texts.map((text, index) => [text, value[index] ?? '']);
          if (place > headerPlace) rows.set(place, JSON.stringify(cells));
        }
      }
    } else {
      for await (const batch of part.read(() => undefined)) {
        for (const { place, value } of batch) rows.set(place, JSON.stringify(value));
      }
    }
  }
  await opened.close();
  return rows;
}

async function assertLossless(db: Db, path: string, register: Register, rejected: number): Promise<void> {
  const source = await readSource(path, register);
  const stored = await db.all<{ place: number; source_data: string; columns: string | null }>(
    `SELECT place, source_data, columns FROM entities LEFT JOIN layouts ON layouts.id = entities.layout
      WHERE register = $1`,
    [register.id],
  );
  const isTable = register.sources.some(({ kind }) => kind === 'table');
  for (const { place, source_data, columns } of stored) {
    const parsed = JSON.parse(renderSourceData(source_data, columns));
    const original = source.get(Number(place)) ?? '';
    const again = isTable && original.startsWith('[[') ? Object.entries(parsed) : parsed;
    assert.equal(JSON.stringify(again), original, `row ${place} of ${path}`);
  }
  assert.equal(stored.length + rejected, source.size, 'a row is missing');
}

for (const engine of engines) {
  describe(`registers on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('registry', database);
      await migrate(db, readMigrations('registry'), testClock());
    });
    after(async () => {
      await db.close();
      await database.remove();
    });
    const importInto = (register: Register, paths: readonly string[]) =>
      importFiles(db, testClock(), { register, registers, paths, mode: 'full' });

    for (const register of registers) {
      test(`${register.id}: a generated file imports without loss, byte for byte in each cell, in column order`, async () => {
        await db.run('DELETE FROM entities');
        const folder = join(database.dataDir, register.id);
        mkdirSync(folder);
        const path = await writeSynthetic(folder, register.generate(700, 5));
        const { counts, outcome, unreadable } = await importInto(register, [path]);
        assert.equal(outcome, 'published');
        assert.equal(counts.rows, 700);
        assert.equal(counts.added + counts.rejected + counts.duplicates, 700);
        assert.ok(counts.added >= 690 && unreadable <= 7, JSON.stringify(counts));
        await assertLossless(db, path, register, counts.rejected + counts.duplicates);
        const statuses = await db.all<{ status: string }>('SELECT DISTINCT status FROM entities');
        assert.ok(statuses.length > 1, 'a file in which all companies are alike');
      });

      const files = (SAMPLES[register.id] ?? []).map((set) => set.map((file) => join(samples, register.id, file)));
      test(`${register.id}: the real samples import without loss or unreadable values`, {
        skip: existsSync(samples) ? false : 'the real samples are not part of the repository and not on this machine',
      }, async () => {
        for (const paths of files) {
          await db.run('DELETE FROM entities');
          const { counts, unreadable, problems } = await importInto(register, paths);
          assert.deepEqual([counts.rejected, unreadable], [0, 0], JSON.stringify(problems));
          assert.ok(counts.added > 0);
          for (const path of paths) await assertLossless(db, path, register, counts.duplicates);
        }
      });
    }
  });
}

describe('manifests', () => {
  test('are complete, and every register has its country, its folder and its page', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    for (const register of registers) {
      for (const field of ['name', 'nativeName', 'publisher', 'licence'] as const)
        assert.ok(register[field].length > 3, field);
      assert.match(register.sourceUrl, /^https:\/\//);
      assert.ok(register.minimumRows > 0 && register.files.length > 0);
      assert.ok(plannedCountries.some(({ code }) => code === register.country));
      assert.ok(existsSync(join(root, 'src/registers', register.id, 'register.ts')));
      assert.ok(existsSync(join(root, 'docs/registers', `${register.id}.md`)), `docs/registers/${register.id}.md`);
    }
    assert.equal(new Set(registers.map(({ id }) => id)).size, registers.length);
  });

  test('a generated file is the same for the same seed and another for another', async () => {
    for (const register of registers) {
      const take = (seed: number) => JSON.stringify(register.generate(20, seed), spreadIterables);
      assert.equal(take(3), take(3), register.id);
      assert.notEqual(take(3), take(4), register.id);
    }
  });
});

function spreadIterables(_key: string, value: unknown): unknown {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value);
  return isIterable ? [...(value as Iterable<unknown>)] : value;
}
