import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { type ClickhouseSearchOptions, createClickhouseSearch } from '../../src/search/clickhouse/clickhouse.ts';
import { createDatabase } from '../harness/databases.ts';
import { emptyJournal, publishChanges } from '../journal/journal.ts';
import { type GbRow, writeGb } from '../registry/gb-file.ts';
import type { StoredEntity } from '../search/world-store.ts';
import type { Nodes } from './nodes.ts';

/** Few results are sorted at once, so that all cells are used. Nodes may be slow, and tests do not wait for the usual times. */
export const TEST_OPTIONS = { publishes: true, maxSorted: 3, pollMs: 20, checkMs: 600_000 } as const;

export type Opened = Awaited<ReturnType<typeof openSearch>>;

let databases = 0;

/** Search in a database of its own on these nodes, with stores in SQLite. */
export async function openSearch(nodes: Pick<Nodes, 'place'>, options: Partial<ClickhouseSearchOptions> = {}) {
  const database = await createDatabase('sqlite', { migrated: true });
  const registryDb = openStore('registry', database);
  const accountsDb = openStore('accounts', database);
  await migrate(registryDb, loadMigrations('registry'), systemClock);
  await migrate(accountsDb, loadMigrations('accounts'), systemClock);
  const lines: string[] = [];
  const write = (fields: object | string, message?: string) => void lines.push(message ?? String(fields));
  const log = { info: write, warn: write };
  const place = nodes.place(`test_${process.pid}_${databases++}`);
  const opened: AsyncDisposable[] = [];
  /** Another server on the same stores and nodes. */
  const open = (more: Partial<ClickhouseSearchOptions> = {}) => {
    const search = createClickhouseSearch({
      ...{ place, registryDb, accountsDb, log },
      ...TEST_OPTIONS,
      ...options,
      ...more,
    });
    opened.push({ [Symbol.asyncDispose]: () => search.close() });
    return search;
  };
  return {
    database,
    registryDb,
    accountsDb,
    lines,
    place,
    search: open(),
    open,
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one[Symbol.asyncDispose]();
      await registryDb.close();
      await accountsDb.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

export async function importRows({ registryDb, database }: Opened, rows: readonly GbRow[]): Promise<void> {
  const register = registers.find(({ id }) => id === 'gb') as Register;
  const path = writeGb(mkdtempSync(join(database.dataDir, 'in-')), 'companies.csv', rows);
  await importFiles(registryDb, systemClock, { register, registers, paths: [path], mode: 'partial' });
}

/** Writes the last change of a world into the journal, as an import does. */
export async function journalChange(
  db: Db,
  before: readonly StoredEntity[],
  now: readonly StoredEntity[],
  publishedAt: number,
): Promise<void> {
  const known = new Map(before.map((one) => [one.record.id, one]));
  const changes = now
    .filter((one) => known.get(one.record.id) !== one)
    .map(({ record: { id, countryCode, register } }) => {
      const old = known.get(id)?.record;
      const kept = old && [old.canonicalName, old.status, old.legalForm, old.registeredAt];
      const type = old === undefined ? 'added' : 'changed';
      return {
        type,
        country: countryCode,
        register: register ?? '',
        entityId: id,
        ...(kept && { before: kept }),
      } as const;
    });
  // The change itself has raised the generation already.
  await db.run('UPDATE generation SET generation = generation - 1, published_at = published_at - 1000');
  await emptyJournal(db);
  await publishChanges(db, { register: 'gb', publishedAt, changes });
}
