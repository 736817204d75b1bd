import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { Db, Queries } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import {
  readChanges,
  readChangesAt,
  readEnds,
  readEntityChanges,
  readEntries,
  readHeads,
} from '../../src/journal/feed/store.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { publishChanges } from '../harness/journal.ts';
import { explain, record } from '../harness/plans.ts';

const FILTER = { country: 'GB', register: null, type: null };

/** Statements of every request for changes, and the indexes that they must use. */
const STATEMENTS: readonly {
  name: string;
  run: (db: Queries) => Promise<unknown>;
  indexes: readonly RegExp[];
}[] = [
  { name: 'the ends of the journal', run: readEnds, indexes: [/journal_pkey|autoindex_journal/] },
  {
    name: 'the next imports',
    run: (db) => readEntries(db, 5, 10),
    indexes: [/journal_pkey|autoindex_journal/],
  },
  {
    name: 'changes of an import',
    run: (db) => readChanges(db, { generation: 5, batch: 5 }, { first: 10, end: 100 }, FILTER, 10),
    indexes: [
      /journal_pkey|journal_batch|autoindex_journal/,
      /changes_pkey|autoindex_changes_1 \(batch=\? AND position>\? AND position<\?\)/,
    ],
  },
  {
    name: 'the heads of changes',
    run: (db) => readHeads(db, { generation: 5, batch: 5 }, { first: 10, end: 100 }, FILTER, 10),
    indexes: [/changes_pkey|autoindex_changes_1 \(batch=\? AND position>\? AND position<\?\)/],
  },
  {
    name: 'changes at some positions',
    run: (db) => readChangesAt(db, 5, [10, 40]),
    indexes: [/changes_pkey|autoindex_changes_1 \(batch=\? AND position=\?\)/],
  },
  {
    name: 'changes of an entity',
    run: (db) => readEntityChanges(db, 'entity 7', { generation: 1_000, position: 0 }, 10),
    indexes: [/changes_entity/, /journal_batch/, /files_pkey|autoindex_files/],
  },
];

for (const engine of engines) {
  describe(`reading changes uses indexes on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('registry', database);
      await migrate(db, readMigrations('registry'), systemClock);
      for (let number = 1; number <= 300; number++) {
        const changes = Array.from({ length: number % 50 }, (_, at) => {
          return { type: 'added', country: 'GB', register: 'gb', entityId: `entity ${number * at}` } as const;
        });
        await publishChanges(db, { register: 'gb', publishedAt: number, changes });
      }
      if (engine === 'postgres') await db.run('ANALYZE');
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    for (const { name, run, indexes } of STATEMENTS) {
      test(name, async () => {
        const [statement = assert.fail('no statement'), ...others] = await record(run);
        assert.deepEqual(others, []);
        const plan = await explain(db, statement);
        for (const index of indexes) assert.match(plan, index);
        assert.doesNotMatch(plan, engine === 'sqlite' ? /^SCAN (?!found)/m : /Seq Scan/);
      });
    }
  });
}
