import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import type { AskedName, CandidateSource, Candidates } from '../../src/matching/candidates.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, type Engine } from '../harness/databases.ts';
import { NOW, openSearch } from './postgres-search.ts';
import { storeWorld } from './world-store.ts';
import { company, type WorldEntity } from './worlds.ts';

/** Sources of candidates on a store of their own. */
export interface TestSource {
  readonly db: Db;
  readonly source: CandidateSource;
  store(world: readonly WorldEntity[]): Promise<void>;
  close(): Promise<void>;
}

async function openMemory(engine: Engine): Promise<TestSource> {
  const database = await createDatabase(engine);
  const db = openStore('registry', database);
  await migrate(db, readMigrations('registry'), testClock());
  const served = createServedIndex();
  return {
    db,
    source: served.candidates,
    async store(world) {
      await storeWorld(db, world, NOW);
      served.use(withoutOverlay(await buildIndex(db)));
    },
    async close() {
      await db.close();
      await database.remove();
    },
  };
}

async function openPostgres(): Promise<TestSource> {
  const opened = await openSearch();
  return {
    db: opened.db,
    source: opened.search.candidates,
    store: async (world) => void (await storeWorld(opened.db, world, NOW)),
    close: () => opened[Symbol.asyncDispose](),
  };
}

export const sources = {
  'memory, built from SQLite': () => openMemory('sqlite'),
  'memory, built from PostgreSQL': () => openMemory('postgres'),
  SQL: openPostgres,
};

export function askFor(name: string, more: Partial<AskedName> = {}): AskedName {
  const words = name.toLowerCase().split(' ');
  return { words, joined: [], numbers: [], country: undefined, limit: 60, ...more };
}

export async function find(source: CandidateSource, asked: AskedName): Promise<Candidates> {
  return source.find(asked, { account: 'account', deadline: Number.POSITIVE_INFINITY });
}

export async function findNames(source: CandidateSource, name: string, more?: Partial<AskedName>): Promise<string[]> {
  const { candidates } = await find(source, askFor(name, more));
  return candidates.map(({ entity }) => entity.canonicalName);
}

const FIRST = [
  'Harwood',
  'Bannister',
  'Kestrel',
  'Marlowe',
  'Thistle',
  'Beacon',
  'Quantum',
  'Sterling',
  'Albion',
  'Vertex',
];
const SECOND = ['Engineering', 'Solutions', 'Catering', 'Plumbing', 'Properties', 'Marketing', 'Logistics', 'Foods'];
const PLACES = ['London', 'Leeds', 'Oslo', 'Bergen', 'Tallinn'];

/** 400 companies whose names share their words. */
export const crowd: readonly WorldEntity[] = FIRST.flatMap((first) =>
  SECOND.flatMap((second) => PLACES.map((place) => company(`${first} ${second} (${place}) Ltd`))),
);
