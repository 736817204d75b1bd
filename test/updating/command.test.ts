import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { openStore } from '../../src/base/db/open.ts';
import type { UpdateResult } from '../../src/import/update/update.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { useFolder } from '../harness/use.ts';
import { serveFile, usePublisher } from '../sources/publisher.ts';
import { makeLv } from './updating.ts';

describe('firmament update', () => {
  const publisher = usePublisher();
  const folder = useFolder();
  const env = { DATA_DIR: join(folder, 'data'), FETCH_SOURCES: join(folder, 'sources.json') };
  before(async () => {
    const addresses = { lv: [`${publisher.url}/register.csv`], lt: [`${publisher.url}/gone.csv`] };
    writeFileSync(env.FETCH_SOURCES, JSON.stringify(addresses));
    publisher.offer('/register.csv', { body: await makeLv(40) });
  });

  const count = async (): Promise<{ generation: number; entities: number }> => {
    const db = openStore('registry', { dataDir: env.DATA_DIR, databaseUrl: undefined });
    try {
      const sql = 'SELECT (SELECT generation FROM generation) AS generation, count(*) AS entities FROM entities';
      return { ...((await db.one(sql)) as { generation: number; entities: number }) };
    } finally {
      await db.close();
    }
  };

  test('asks for the name of a register while there is no data', async () => {
    const { code, stdout, stderr } = await run(['update'], env);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^The store has no official data yet: name the registers .*"firmament update lv"\. Available: .*\bgb\b/m,
    );
  });

  test('prints one JSON document, and exits with 0 if something was updated although it waited for another update', async () => {
    const whole = serveFile({ body: await makeLv(40) });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    publisher.offer('/register.csv', (request, response) => void released.then(() => whole(request, response)));
    const first = start(['update', 'lv', '--json'], env);
    await until('the first update downloads', () => publisher.requests.length > 0);
    const second = await run(['update', 'lv', '--json'], env);
    assert.deepEqual([second.code, JSON.parse(second.stdout)[0].outcome], [1, 'busy']);
    release();
    const { code, stdout } = await first.ended;
    assert.equal(code, 0);
    const [result] = JSON.parse(stdout) as [UpdateResult];
    const { register, outcome, message, generation, counts, files, seconds, warnings } = result;
    assert.deepEqual([register, outcome, message, generation, counts?.added], ['lv', 'updated', null, 1, 40]);
    assert.equal(files[0]?.url, `${publisher.url}/register.csv`);
    assert.ok(seconds > 0 && warnings.length > 0);
  });

  test('updates the registers that have files, and exits with 3 if nothing is new', async () => {
    const { code, stdout, stderr } = await run(['update'], env);
    assert.deepEqual([code, stderr], [3, 'Nothing new.\n']);
    assert.match(stdout, /^ID +RESULT +ROWS +ADDED.*\n.*\nlv +nothing new/m);
    assert.doesNotMatch(stdout, /^lt/m);
  });

  test('updates the others if one fails, and exits with 1', async () => {
    publisher.offer('/register.csv', { body: await makeLv(45) });
    const dry = await run(['update', 'lv', '--dry-run'], env);
    assert.deepEqual([dry.code, await count()], [0, { generation: 1, entities: 40 }]);
    assert.match(dry.stdout, /^lv +new files are available/m);
    const { code, stdout, stderr } = await run(['update', 'lt', 'lv'], env);
    assert.equal(code, 1);
    assert.match(stdout, /^lt +failed/m);
    assert.match(stdout, /^lv +updated +45 +5 +0 +0 +2 /m);
    assert.match(stderr, /^lt: .*404 \(not found\): correct its address in FETCH_SOURCES\.$/m);
    assert.match(stderr, /^Not updated: lt\.$/m);
    assert.deepEqual(await count(), { generation: 2, entities: 45 });
    const listed = await run(['registers'], env);
    assert.match(listed.stdout, /^lt: .*correct its address in FETCH_SOURCES\.$/m, 'the problem stays visible');
    assert.doesNotMatch(listed.stdout, /^lv: /m);
  });

  test('explains what a person has to do, and what is wrong with its arguments', async () => {
    const manual = await run(['update', 'be'], env);
    assert.equal(manual.code, 1);
    assert.match(manual.stderr, /^be: This register cannot be fetched automatically: Open https:/m);
    assert.equal((await run(['update', 'xx'], env)).code, 2);
  });
});
