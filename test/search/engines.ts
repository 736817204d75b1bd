import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import type { CandidateSource } from '../../src/search/match/matching.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import type { Search } from '../../src/search/search.ts';
import { createDatabase, type Engine } from '../harness/databases.ts';
import type { OracleQuery, OracleRecord } from './oracle.ts';
import { NOW, recordsOf, storeWorld } from './world-store.ts';
import type { WorldEntity } from './worlds.ts';

/** A search engine, on a store of companies of its own. */
export interface TestEngine extends AsyncDisposable {
  readonly db: Db;
  readonly candidates: CandidateSource;
  /** Replaces the companies of the store, and returns them as the oracle sees them. */
  store(world: readonly WorldEntity[]): Promise<OracleRecord[]>;
  /** After a change of the store. */
  reload(): Promise<void>;
  find(query: OracleQuery): Promise<string>;
  countFacets: Search['countFacets'];
}

export async function openMemory(database: Engine = 'sqlite'): Promise<TestEngine> {
  const location = await createDatabase(database, { migrated: true });
  const db = openStore('registry', location);
  let engine: ReturnType<typeof createEngine> | undefined;
  const served = createServedIndex();
  async function build() {
    const state = withoutOverlay(await buildIndex(db));
    engine = createEngine(state);
    served.use(state);
  }
  return {
    db,
    candidates: served.candidates,
    async store(world) {
      const stored = await storeWorld(db, world, NOW);
      await build();
      return recordsOf(stored);
    },
    reload: build,
    countFacets: served.countFacets,
    find: async (query) => new TextDecoder().decode(engine?.find(query).body),
    async [Symbol.asyncDispose]() {
      await db.close();
      await location[Symbol.asyncDispose]();
    },
  };
}
