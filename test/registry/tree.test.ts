import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';

const register = registers.find(({ id }) => id === 'no') as (typeof registers)[0];

const entity = (number: string, more: object = {}) => ({
  organisasjonsnummer: number,
  navn: `SELSKAP ${number} AS`,
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
  ...more,
});

for (const engine of engines) {
  describe(`JSON records on ${engine}`, () => {
    test('keep their structure; unknown keys are reported and other values rejected', async () => {
      const database = await createDatabase(engine);
      const db = openStore('registry', database);
      await migrate(db, readMigrations('registry'), testClock());
      const path = join(database.dataDir, 'enheter.json.gz');
      const records = [
        entity('923609016', { nyttFelt: { dypt: [1, { a: null }] } }),
        'not a record',
        entity('974760673'),
      ];
      writeFileSync(path, gzipSync(JSON.stringify(records)));
      const result = await importFiles(db, testClock(), { register, registers, paths: [path] });
      assert.deepEqual([result.counts.rows, result.counts.added, result.counts.rejected], [3, 2, 1]);
      assert.deepEqual(result.unknownColumns, ['nyttFelt']);
      assert.deepEqual([result.problems[0]?.place, result.problems[0]?.problem], [2, 'not an object']);
      const stored = await db.one<{ source_data: string; layout: null }>(
        'SELECT source_data, layout FROM entities WHERE place = 1',
      );
      assert.deepEqual([JSON.parse(stored?.source_data ?? ''), stored?.layout], [records[0], null]);
      await db.close();
      await database.remove();
    });

    test('a truncated file is refused and changes nothing', async () => {
      const database = await createDatabase(engine);
      const db = openStore('registry', database);
      await migrate(db, readMigrations('registry'), testClock());
      const path = join(database.dataDir, 'enheter.json');
      writeFileSync(path, JSON.stringify([entity('923609016'), entity('974760673')]).slice(0, -30));
      await assert.rejects(
        importFiles(db, testClock(), { register, registers, paths: [path] }),
        /record 2|truncated|ends/i,
      );
      assert.equal((await db.one('SELECT count(*) AS n FROM entities'))?.n, 0);
      await db.close();
      await database.remove();
    });
  });
}
