import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import type { Search } from '../../src/search/search.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import type { OracleQuery } from './oracle.ts';
import { ask, NOW, openSearch } from './postgres-search.ts';
import { storeWorld } from './world-store.ts';
import type { WorldEntity } from './worlds.ts';

/** Both search engines, on a store of companies. */
export interface TestEngine {
  readonly db: Db;
  store(world: readonly WorldEntity[]): Promise<void>;
  /** After a change of the store. */
  reload(): Promise<void>;
  find(query: OracleQuery): Promise<string>;
  countFacets: Search['countFacets'];
  close(): Promise<void>;
}

async function openMemory(): Promise<TestEngine> {
  const database = await createDatabase('sqlite');
  const db = openStore('registry', database);
  await migrate(db, readMigrations('registry'), testClock());
  let engine: ReturnType<typeof createEngine> | undefined;
  const served = createServedIndex();
  async function build() {
    const state = withoutOverlay(await buildIndex(db));
    engine = createEngine(state);
    served.use(state);
  }
  return {
    db,
    async store(world) {
      await storeWorld(db, world, NOW);
      await build();
    },
    reload: build,
    countFacets: served.countFacets,
    find: async (query) => new TextDecoder().decode(engine?.find(query).body),
    async close() {
      await db.close();
      await database.remove();
    },
  };
}

async function openPostgres(): Promise<TestEngine> {
  const opened = await openSearch();
  return {
    db: opened.db,
    store: async (world) => void (await storeWorld(opened.db, world, NOW)),
    reload: async () => undefined,
    find: (query) => ask(opened.search, query),
    countFacets: opened.search.countFacets,
    close: () => opened[Symbol.asyncDispose](),
  };
}

export const searchEngines = { memory: openMemory, PostgreSQL: openPostgres };
