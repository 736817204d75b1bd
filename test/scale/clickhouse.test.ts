import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/core/clock.ts';
import { readVersion } from '../../src/db/version.ts';
import { importFiles } from '../../src/importing/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { until } from '../harness/until.ts';
import { type GbRow, writeGb } from '../registry/gb-file.ts';
import { answer, answerAfresh, makeCompanies } from '../search/following.ts';
import { askOracle, countByOracle } from '../search/oracle.ts';
import { readData } from '../search/whole.ts';
import { everything, scenarios } from '../search/world-queries.ts';
import { changeWorld, recordsOf, storeWorld } from '../search/world-store.ts';
import { openSearch, QUERIES } from './clickhouse-search.ts';
import { type Nodes, startNodes } from './nodes.ts';

const NOW = Date.parse('2026-09-01T12:00:00.123Z');

type Opened = Awaited<ReturnType<typeof openSearch>>;

async function waitUntilCurrent({ search, registryDb }: Opened): Promise<void> {
  search.start();
  await until(
    'the index is current',
    async () => search.isReady() && (await search.version()) === (await readVersion(registryDb)),
  );
}

async function importRows({ registryDb, database }: Opened, rows: readonly GbRow[]): Promise<void> {
  const register = registers.find(({ id }) => id === 'gb') as Register;
  const path = writeGb(mkdtempSync(join(database.dataDir, 'in-')), 'companies.csv', rows);
  await importFiles(registryDb, systemClock, { register, registers, paths: [path], mode: 'partial' });
}

describe('search in three shards of ClickHouse', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(3);
  });
  after(() => nodes?.[Symbol.asyncDispose]());

  test('random queries are answered like the oracle, before and after a re-import, whole results and counts too', async () => {
    const [scenario] = fc.sample(scenarios(QUERIES), 1);
    const { entities, queries, change, later } = scenario ?? assert.fail();
    await using opened = await openSearch(nodes);
    const stored = await storeWorld(opened.registryDb, entities, NOW);
    await waitUntilCurrent(opened);
    for (const [at, query] of queries.entries()) {
      const records = recordsOf(stored);
      const expected = askOracle(records, query);
      const { body, version } = await opened.search.find(query);
      assert.equal(new TextDecoder().decode(body), expected.body, JSON.stringify(query));
      assert.equal(version, await readVersion(opened.registryDb));
      if (at % 10 > 0) continue;
      const all = askOracle(records, { ...query, page: 1, pageSize: Math.max(1, records.length) });
      const whole = await opened.search.readAll(
        query,
        async (result) => [result.total, await readData(result)] as const,
      );
      assert.deepEqual(whole, [expected.total, all.body.slice(0, all.body.indexOf('"meta"'))]);
      const facets = await opened.search.countFacets(query);
      for (const name of ['country', 'status', 'register', 'legalForm', 'isic'] as const) {
        assert.deepEqual(facets?.[name], countByOracle(records, query, name), `${name} of ${JSON.stringify(query)}`);
      }
    }
    const changed = recordsOf(await changeWorld(opened.registryDb, stored, change, NOW + 1_000));
    await waitUntilCurrent(opened);
    for (const query of later) {
      const { body } = await opened.search.find(query);
      assert.equal(new TextDecoder().decode(body), askOracle(changed, query).body, JSON.stringify(query));
    }
  });

  test('it follows imports by the journal, and a publication that failed leaves nothing behind', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 60, 0));
    await waitUntilCurrent(opened);
    assert.deepEqual(await answer(opened.search), (await answerAfresh(opened.registryDb)).answers);
    await opened.search.close();

    // This server publishes everything but the last step, as one that is killed.
    await importRows(opened, [...makeCompanies(20, 30, 1), ...makeCompanies(61, 5, 0)]);
    const killed = opened.open({ beforePublish: () => Promise.reject(new Error('killed')) });
    await assert.rejects(killed.refresh(), /killed/);
    const before = await killed.readPublished();
    await killed.close();

    const next = { ...opened, search: opened.open() };
    await waitUntilCurrent(next);
    assert.deepEqual(await answer(next.search), (await answerAfresh(opened.registryDb)).answers);
    const published = await next.search.readPublished();
    assert.equal(published?.build, before?.build);
    assert.equal(published?.skipped.length, 1);
    assert.equal(opened.lines.filter((line) => line === 'search index updated').length, 1);
  });

  test('a node that is gone or stopped makes searches fail with a reason, and they are exact again afterwards', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 40, 0));
    await waitUntilCurrent(opened);
    const { body } = await opened.search.find(everything);
    await nodes.kill(1);
    await assert.rejects(async () => opened.search.find(everything), /cannot be reached/);
    await nodes.restart(1);
    await until('all nodes answer', () =>
      Promise.resolve(opened.search.find(everything)).then(
        (reply) => Buffer.compare(reply.body, body) === 0,
        () => false,
      ),
    );
    nodes.signal(2, 'SIGSTOP');
    try {
      const soon = performance.now() + 1_500;
      await assert.rejects(async () => opened.search.find(everything, '', soon), /takes too long|cannot be reached/);
    } finally {
      nodes.signal(2, 'SIGCONT');
    }
  });

  test('a wrong password and an old version are reported without the password', async () => {
    await using opened = await openSearch(nodes);
    const isSecret = (error: unknown) =>
      !/hunter2/.test(JSON.stringify([String(error), String((error as Error).cause)]));
    const strange = opened.open({ place: { ...opened.place, user: 'firmament', password: 'hunter2' } });
    await assert.rejects(strange.refresh(), (error: Error) => {
      assert.match(String(error.cause), /refused the user name or password/);
      return isSecret(error);
    });
    const old = opened.open({ minVersion: [99, 1] });
    await assert.rejects(old.refresh(), (error: Error) => /is too old: upgrade to 99\.1/.test(String(error.cause)));
  });
});
