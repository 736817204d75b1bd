import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Failure } from '../../src/core/errors.ts';
import { openStore } from '../../src/db/open.ts';
import { raiseGeneration } from '../../src/records/imports/store.ts';
import { createPostgresSearch } from '../../src/search/postgres.ts';
import { ask, NOW, openSearch, silent } from './postgres-search.ts';
import { everything } from './world-queries.ts';
import { storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

describe('preparing search in PostgreSQL', () => {
  test('search and its version are unavailable until the indexes exist', async () => {
    await using opened = await openSearch({ unprepared: true });
    assert.equal(opened.search.isReady(), false);
    const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';
    await assert.rejects(async () => opened.search.find(everything), unavailable);
    await assert.rejects(async () => opened.search.version(), unavailable);
    await opened.search.refresh();
    assert.equal(opened.search.isReady(), true);
    await opened.search.find(everything);
  });

  test('several processes that start together create one set of indexes', async () => {
    await using opened = await openSearch({ unprepared: true });
    const others = [1, 2, 3].map(() => openStore('registry', opened.database));
    const engines = [opened.db, ...others].map((db) => createPostgresSearch(db, silent));
    await Promise.all(engines.map((engine) => engine.refresh()));
    for (const engine of engines) assert.equal(engine.isReady(), true);
    const indexes = await opened.db.all("SELECT indexname FROM pg_indexes WHERE tablename = 'entities'");
    // Fourteen for search; the registry has its primary key and one by register.
    assert.equal(indexes.length, 16);
    for (const engine of engines) await engine.close();
    for (const db of others) await db.close();
  });

  test('indexes of former tables of industries are replaced', async () => {
    await using opened = await openSearch({ unprepared: true });
    const former = ['entities_activity_classes', 'entities_isic_0123456789abcdef'];
    for (const name of former) await opened.db.run(`CREATE INDEX ${name} ON entities (status)`);
    await storeWorld(opened.db, [company('Alfa')], NOW);
    await opened.search.refresh();
    const rows = await opened.db.all<{ indexname: string }>(
      "SELECT indexname FROM pg_indexes WHERE tablename = 'entities' AND indexname ~ 'isic|classes'",
    );
    assert.equal(rows.length, 1);
    assert.ok(!former.includes(rows[0]?.indexname ?? ''));
    assert.equal(JSON.parse(await ask(opened.search, { ...everything, isic: '62' })).meta.total, 0);
  });

  test('a store that is too large for this engine is reported, a smaller one is not', async () => {
    await using opened = await openSearch({ unprepared: true });
    const warn: unknown[] = [];
    const search = createPostgresSearch(opened.db, {
      ...silent,
      warn: (fields: object | string) => void warn.push(fields),
    });
    const hold = (register: string) =>
      opened.db.run('INSERT INTO holdings (register, entities, generation, imported_at) VALUES ($1, 1000000, 1, 1)', [
        register,
      ]);
    await hold('gb');
    await search.refresh();
    assert.deepEqual(warn, []);
    await hold('fr');
    await search.refresh();
    assert.deepEqual(warn, [{ entities: 2_000_000 }]);
    await search.close();
  });

  test('pg_trgm may be in any schema', async () => {
    await using opened = await openSearch({
      arrange: ['CREATE SCHEMA "odd Place"', 'CREATE EXTENSION pg_trgm SCHEMA "odd Place"'],
    });
    await storeWorld(opened.db, [company('Alfa Beta')], NOW);
    assert.equal(JSON.parse(await ask(opened.search, { ...everything, q: 'alfa' })).meta.total, 1);
  });

  test('a role that may not create indexes gets an error with advice; a read-only role can search once they exist', async () => {
    const role = `reader_${randomBytes(4).toString('hex')}`;
    await using opened = await openSearch({ unprepared: true });
    await opened.db.run(`CREATE ROLE ${role} LOGIN`);
    await opened.db.run(`GRANT USAGE ON SCHEMA registry TO ${role}`);
    await opened.db.run(`GRANT SELECT ON ALL TABLES IN SCHEMA registry TO ${role}`);
    const url = (opened.database.databaseUrl ?? '').replace('postgres@', `${role}@`);
    const db = openStore('registry', { ...opened.database, databaseUrl: url });
    const search = createPostgresSearch(db, silent);
    await assert.rejects(search.refresh(), /permission denied.*: have an administrator run CREATE EXTENSION pg_trgm$/);
    await opened.db.run('CREATE EXTENSION pg_trgm');
    await assert.rejects(
      search.refresh(),
      /must be owner of table entities: start once as the role that owns the tables$/,
    );
    await opened.search.refresh();
    await search.refresh();
    assert.equal(JSON.parse(await ask(search, everything)).meta.total, 0);
    await db.close();
    await opened.db.run(`DROP OWNED BY ${role}`);
    await opened.db.run(`DROP ROLE ${role}`);
  });

  test('closing cancels an index that is being built', async () => {
    await using opened = await openSearch({ unprepared: true });
    const { db, search } = opened;
    await db.transaction(async (importing) => {
      await raiseGeneration(importing, NOW);
      await importing.run("DELETE FROM entities WHERE id = ''");
      search.start();
      const building =
        "SELECT 1 AS found FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'";
      while ((await db.one(building)) === undefined);
      await search.close();
      assert.equal(search.isReady(), false);
    });
  });
});
