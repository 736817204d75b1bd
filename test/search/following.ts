import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { createMemorySearch, type MemorySearchOptions } from '../../src/search/memory/memory-search.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import type { Search, SearchQuery } from '../../src/search/search.ts';
import { createDatabase, type Engine, type TestDatabase } from '../harness/databases.ts';
import { readLimits } from '../harness/limits.ts';
import { company, type GbRow, writeGb } from '../registry/gb-file.ts';
import { everything } from './world-queries.ts';

/** A store and the searches that follow it. */
export interface Following extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  /** Starts a search on this store. It is closed with the store. */
  open(options?: Partial<MemorySearchOptions>): LoggedSearch;
  /** Imports companies; those that are missing stay as they are. */
  importRows(rows: readonly GbRow[]): Promise<void>;
}

export interface LoggedSearch extends Search {
  /** The lines of its log, the oldest first. */
  readonly lines: readonly LogLine[];
}

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly message: string;
}

export async function createFollowing(engine: Engine): Promise<Following> {
  const database = await createDatabase(engine, { migrated: true });
  const { dataDir, databaseUrl } = database;
  const location = { dataDir, databaseUrl, timeLimits: readLimits() };
  const db = openStore('registry', database);
  await migrate(db, loadMigrations('registry'), systemClock);
  const searches: Search[] = [];
  const register = registers.find(({ id }) => id === 'gb') as Register;
  return {
    database,
    db,
    open(options) {
      const lines: LogLine[] = [];
      const write = (fields: object | string, message?: string) =>
        void lines.push(typeof fields === 'string' ? { message: fields } : { ...fields, message: message ?? '' });
      const log = { info: write, warn: write };
      const search = createMemorySearch({ db, location, log, pollMs: 20, small: 1, ...options });
      searches.push(search);
      return { ...search, lines };
    },
    async importRows(rows) {
      const path = writeGb(mkdtempSync(join(dataDir, 'in-')), 'companies.csv', rows);
      await importFiles(db, systemClock, { register, registers, paths: [path], mode: 'partial' });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(searches.map((search) => search.close()));
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const NAMES = ['ALPHA', 'Bäcker', 'CITY', 'DELTA & SONS', 'ECHO', 'Œuvre', 'FOX'];
const STATUSES = ['Active', 'Liquidation', 'In Administration'];

/** A company whose name and status depend on `edition`. */
function makeCompany(number: number, edition: number): GbRow {
  const name = `${NAMES[(number * 7 + edition * 3) % NAMES.length]} ${(number * 31 + edition) % 97} LTD`;
  return company(String(number).padStart(8, '0'), name, {
    CompanyStatus: STATUSES[(number + edition) % STATUSES.length] as string,
    'SICCode.SicText_1': `${10_000 + ((number + edition) % 5)} - Activity ${(number + edition) % 5}`,
  });
}

export function makeCompanies(from: number, count: number, edition: number): GbRow[] {
  return Array.from({ length: count }, (_, at) => makeCompany(from + at, edition));
}

const ALL: SearchQuery = { ...everything, activityType: 'licensed' };

export const queries: readonly SearchQuery[] = [
  ...Array.from({ length: 12 }, (_, at) => ({ ...ALL, page: 1 + at })),
  ...[...NAMES, 'a', 'ltd', 'y 1', 'sons 3', '0001', '00000007', 'nothing'].flatMap((q) => [
    { ...ALL, q },
    { ...ALL, q, pageSize: 7, page: 3 },
    { ...ALL, q, status: 'active' },
    { ...ALL, q, activity: '10001' },
  ]),
  { ...ALL, status: 'active', pageSize: 13, page: 2 },
  { ...ALL, country: 'GB', legalForm: 'Private Limited Company' },
  { ...ALL, country: 'DE' },
];

/** All answers of the search, as text. */
export async function answer(search: Pick<Search, 'find'>): Promise<string[]> {
  return Promise.all(queries.map(async (query) => Buffer.from((await search.find(query)).body).toString()));
}

/** What an index answers that is built from the store now. */
export async function answerAfresh(db: Db): Promise<{ version: string; answers: string[] }> {
  const index = await buildIndex(db);
  return { version: index.version, answers: await answer(createEngine(withoutOverlay(index))) };
}

/** Brings the search up to date and compares it with a new index. */
export async function checkAnswers(search: Search, db: Db): Promise<void> {
  await search.refresh();
  const { version, answers } = await answerAfresh(db);
  assert.equal(await search.version(), version);
  assert.deepEqual(await answer(search), answers);
}

export const countLines = ({ lines }: LoggedSearch, message: string) =>
  lines.filter((line) => line.message === message).length;
