import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { exportAll } from './exporting.ts';

/** The open files of this process, on Linux. */
const FILES = '/proc/self/fd';

/** Replaces the entities by so many that sorting them never ends. */
const ENDLESS = `
  ALTER TABLE entities RENAME TO finite;
  CREATE VIEW entities AS
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
    SELECT number AS rowid, finite.* FROM numbers, (SELECT * FROM finite LIMIT 1) AS finite;`;

/** Whether SQLite has sorted more than fits its cache. It gives its temporary files this name. */
function hasSpilled(): boolean {
  return readdirSync(FILES).some((file) => {
    try {
      return readlinkSync(join(FILES, file)).includes('etilqs_');
    } catch {
      // Closed in the meantime.
      return false;
    }
  });
}

describe('sorting in SQLite, which blocks its thread', () => {
  test('the main thread stays free, and the export can be stopped at once', {
    skip: !existsSync(FILES) && 'open files cannot be listed',
  }, async () => {
    await using service = await startService('sqlite');
    await importSyntheticAll(service, 2);
    const file = new DatabaseSync(join(service.database.dataDir, 'registry.db'));
    file.exec(ENDLESS);
    file.close();
    const stop = new AbortController();
    const folder = join(service.database.dataDir, 'endless');
    const exporting = exportAll(service, 'ndjson', {
      folderOf: () => folder,
      signal: stop.signal,
      onProgress: async ({ phase }) => {
        assert.equal(phase, 'sorting');
        // This needs a free main thread.
        await until('SQLite sorts', hasSpilled);
        stop.abort();
      },
    });
    await assert.rejects(exporting, { name: 'AbortError' });
    assert.deepEqual(readdirSync(join(folder, '.partial')), ['.state.json'], 'the lock is released');
  });
});
