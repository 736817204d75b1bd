import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { createPostgresSearch } from '../../src/search/postgres.ts';
import type { Search } from '../../src/search/search.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import type { OracleQuery } from './oracle.ts';

export const silent = { info: () => undefined, warn: () => undefined };

/** Opens search on a new database. `unprepared`: without indexes. `arrange`: SQL that runs on the new database before search connects to it. */
export async function openSearch({ unprepared = false, utf8 = false, arrange = [] as readonly string[] } = {}) {
  const database = utf8 ? await createUtf8Database() : await createDatabase('postgres');
  if (arrange.length > 0) {
    const first = openStore('registry', database);
    for (const sql of arrange) await first.run(sql.replace('DATABASE', `DATABASE ${nameOf(database)}`));
    await first.close();
  }
  const db = openStore('registry', database);
  const search = createPostgresSearch(db, silent);
  if (!unprepared) await search.refresh();
  return {
    database,
    db,
    search,
    async [Symbol.asyncDispose]() {
      await search.close();
      await db.close();
      await database.remove();
    },
  };
}

/**
 * Creates a database with a UTF-8 locale as in production, where pg_trgm knows the letters of every script. Other tests
 * use the locale C.
 */
async function createUtf8Database(): Promise<TestDatabase> {
  const beside = await createDatabase('postgres');
  const admin = openStore('registry', beside);
  const name = `${nameOf(beside)}_utf8`;
  const create = (ctype: string) => admin.run(`CREATE DATABASE ${name} TEMPLATE template0 LC_CTYPE '${ctype}'`);
  await create('C.UTF-8').catch(() => create('en_US.UTF-8'));
  const databaseUrl = `${beside.databaseUrl}_utf8`;
  const db = openStore('registry', { ...beside, databaseUrl });
  await migrate(db, readMigrations('registry'), testClock());
  await db.close();
  return {
    ...beside,
    databaseUrl,
    async remove() {
      await admin.run(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.close();
      await beside.remove();
    },
  };
}

function nameOf({ databaseUrl = '' }: TestDatabase): string {
  return new URL(databaseUrl).pathname.slice(1);
}

export async function ask(search: Search, query: OracleQuery): Promise<string> {
  return new TextDecoder().decode((await search.find(query)).body);
}
