import { systemClock } from '../../src/core/clock.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { type ClickhouseSearchOptions, createClickhouseSearch } from '../../src/search/clickhouse/clickhouse.ts';
import { createDatabase } from '../harness/databases.ts';
import type { Nodes } from './nodes.ts';

/** How many random queries a test sends. */
export const QUERIES = Number(process.env.SCALE_QUERIES ?? 100);

let databases = 0;

/** Search in a database of its own on these nodes, with stores in SQLite. Its buckets are small, so that few entities have several. */
export async function openSearch(nodes: Nodes, options: Partial<ClickhouseSearchOptions> = {}) {
  const database = await createDatabase('sqlite', { migrated: true });
  const registryDb = openStore('registry', database);
  const accountsDb = openStore('accounts', database);
  await migrate(registryDb, readMigrations('registry'), systemClock);
  await migrate(accountsDb, readMigrations('accounts'), systemClock);
  const lines: string[] = [];
  const write = (fields: object | string, message?: string) => void lines.push(message ?? String(fields));
  const common = {
    registryDb,
    accountsDb,
    log: { info: write, warn: write },
    bucketSize: 8,
    pollMs: 20,
    checkMs: 600_000,
  };
  const place = nodes.place(`test_${process.pid}_${databases++}`);
  const opened: AsyncDisposable[] = [];
  /** Another server on the same stores and nodes. */
  const open = (more: Partial<ClickhouseSearchOptions> = {}) => {
    const search = createClickhouseSearch({ place, ...common, publishes: true, ...options, ...more });
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
      await database.remove();
    },
  };
}
