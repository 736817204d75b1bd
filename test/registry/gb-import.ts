import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'node:test';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { emptyRegistry } from '../../src/registry/registry.ts';
import { testClock } from '../harness/clock.ts';
import { type Engine, useStore } from '../harness/databases.ts';
import { company, type GbRow } from './gb-file.ts';

export const findRegister = (id: string) =>
  registers.find((register) => register.id === id) ?? assert.fail(`there is no register "${id}"`);
export const gb = findRegister('gb');

/** Companies with the numbers 00000000, 00000001 and so on. */
export const numbered = (count: number, more: (index: number) => GbRow = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    company(String(index).padStart(8, '0'), `COMPANY ${index} LTD`, more(index)),
  );

/** An empty registry store for each test of the surrounding `describe`, and functions to import into it and read it. */
export function useImports(engine: Engine) {
  const clock = testClock('2026-09-01T00:00:00.000Z');
  const store = useStore(engine, 'registry');
  beforeEach(async () => {
    await emptyRegistry(store.db);
    clock.advance(60_000);
  });

  const readGeneration = async () => Number((await store.db.one('SELECT generation FROM generation'))?.generation);
  return {
    clock,
    get db() {
      return store.db;
    },
    get database() {
      return store.database;
    },
    get folder() {
      return store.database.dataDir;
    },
    run: (paths: string | string[], options: Partial<ImportOptions> = {}) =>
      importFiles(store.db, clock, { register: gb, registers, paths: [paths].flat(), ...options }),
    /** The stored row of the company with this number. */
    read: (number: string) =>
      store.db.one<Record<string, string>>("SELECT * FROM entities WHERE register = 'gb' AND registrations LIKE $1", [
        `%"${number}"%`,
      ]),
    readGeneration,
    /** What an import that fails must not change. */
    state: async () => ({
      generation: await readGeneration(),
      entities: (await store.db.all('SELECT id, status, updated_at, content_hash FROM entities ORDER BY id')).map(
        (row) => ({ ...row }),
      ),
      holdings: (await store.db.all('SELECT * FROM holdings')).map((row) => ({ ...row })),
    }),
    write(name: string, content: string | Buffer) {
      const path = join(store.database.dataDir, name);
      writeFileSync(path, content);
      return path;
    },
  };
}
