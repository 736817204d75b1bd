import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { run } from '../harness/process.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { gb } from '../registry/gb-import.ts';
import { useProofs } from './proving.ts';

const HOSTILE = 'ONE \u001b[2J\u202eLTD';

for (const engine of usualEngines) {
  describe(`firmament prove on ${engine}`, () => {
    const { store, keep, import: importFrom } = useProofs(engine);
    const prove = (...args: string[]) => {
      const { dataDir, databaseUrl } = store.database;
      const env = { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
      return run(['prove', ...args], env);
    };

    test('exits with 0 if the record is proven, 1 if it differs, 3 if the original is not kept, and prints why', async () => {
      const file = writeGb(store.folder, 'register.csv', [company('00000001', HOSTILE)]);
      const [kept = ''] = await keep(gb, [file]);
      await importFrom(gb, [file]);
      const id = String((await store.read('00000001'))?.id);

      const proven = await prove(id.toUpperCase());
      assert.deepEqual([proven.code, proven.stderr], [0, '']);
      assert.match(
        proven.stdout,
        /^Record {2}ONE \\u\{1b\}\[2J\\u\{202e\}LTD \(gb\) [0-9a-f-]{36}\nFile {4}register\.csv\n {8}\S+register\.csv\n {8}sha256:[0-9a-f]{64} {2}✓ the hash agrees\n {8}companies: row 2\nCells {3}(\d+) of \1 agree ✓\nFields {2}(\d+) of \2 agree ✓\nProven: /,
      );

      await store.db.run("UPDATE entities SET source_data = replace(source_data, 'ONE', 'TWO') WHERE id = $1", [id]);
      const different = await prove(id);
      assert.equal(different.code, 1);
      assert.match(
        different.stdout,
        /^ {8}row 2, CompanyName:\n {10}store {5}"TWO \\u001b\[2J\\u\{202e\}LTD"\n {10}original {2}"ONE \\u001b\[2J\\u\{202e\}LTD"$/m,
      );
      assert.match(different.stderr, /^Different: the record in the store is not what the original says\. .*\n$/);

      await store.db.run("UPDATE entities SET source_data = replace(source_data, 'TWO', 'ONE') WHERE id = $1", [id]);
      const moved = join(store.folder, 'moved.csv');
      renameSync(kept, moved);
      const missing = await prove(id, '--json');
      assert.equal(missing.code, 3);
      const { outcome, name, files, cells } = JSON.parse(missing.stdout);
      assert.deepEqual([outcome, name, files[0].state, cells], ['not kept', HOSTILE, 'not kept', null]);
      assert.match(
        missing.stderr,
        /^Not kept: register\.csv\. Get the edition with the same hash from Companies House, .*--file\.\n$/,
      );
      for (const character of ['\u001b', '\u202e']) {
        for (const { stdout } of [proven, different, missing]) assert.ok(!stdout.includes(character));
      }

      writeFileSync(join(store.folder, 'wrong.csv'), 'wrong');
      const given = await prove(id, '--file', join(store.folder, 'wrong.csv'), moved);
      assert.deepEqual([given.code, given.stderr], [0, '']);
      assert.match(given.stdout, /^Given {3}\S+wrong\.csv: not an original of this record \(sha256:/m);
    });

    test('says in one line what is wrong with the arguments', async () => {
      const invalid = await prove('42\u001b');
      assert.deepEqual(
        [invalid.code, invalid.stderr],
        [
          1,
          '"42\\u{1b}" is not the id of a record: ids are UUIDs, as in the "id" of API replies and in page addresses.\n',
        ],
      );
      const unknown = await prove('00000000-0000-5000-8000-000000000000');
      assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
      assert.match(unknown.stderr, /^There is no record with the id 0{8}-0000-5000-8000-0{12}: check .*\n$/);
    });
  });
}
