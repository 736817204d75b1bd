import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findVersion } from '../../src/base/db/version.ts';
import type { ClickhouseSearch } from '../../src/search/clickhouse/clickhouse.ts';
import { completeEnv, spawnScript } from '../harness/children.ts';
import { answerAfresh, makeCompanies, queries } from '../search/following.ts';
import { everything } from '../search/world-queries.ts';
import { importRows, type Opened, openSearch } from './clickhouse-search.ts';
import { type Nodes, skipped, startNodes, waitUntil } from './nodes.ts';
import { interceptInserts } from './proxies.ts';

/** Some of the queries, so that they are asked often while nodes fail. */
const ASKED = queries.flatMap((_, at) => (at % 9 === 0 ? at : []));

async function assertExact({ registryDb }: Pick<Opened, 'registryDb'>, search: ClickhouseSearch): Promise<void> {
  const { answers } = await answerAfresh(registryDb);
  for (const at of ASKED) {
    const { body } = await search.find(queries[at] ?? assert.fail());
    assert.equal(Buffer.from(body).toString(), answers[at]);
  }
}

/** What a search throws while a node cannot answer. */
const NO_ANSWER = /cannot be reached|takes too long/;

describe('faults of three shards of ClickHouse', { skip: skipped }, () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(3);
  });
  after(() => nodes?.[Symbol.asyncDispose]());

  test('a node is killed during searches: every answer is exact or fails with a reason', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 40, 0));
    await opened.search.refresh();
    const exact = Buffer.from((await opened.search.find(everything)).body);
    const seen = { exact: 0, failed: 0, wrong: [] as string[] };
    let isOver = false;
    const searching = async () => {
      while (!isOver) {
        await Promise.resolve(opened.search.find(everything)).then(
          ({ body }) => (exact.equals(body) ? seen.exact++ : seen.wrong.push(Buffer.from(body).toString())),
          (error: Error) => (NO_ANSWER.test(error.message) ? seen.failed++ : seen.wrong.push(String(error))),
        );
      }
    };
    const searches = [searching(), searching()];
    try {
      await waitUntil('searches are answered', () => seen.exact > 2);
      await nodes.kill(1);
      await waitUntil('searches fail', () => seen.failed > 0);
      await nodes.restart(1);
      const before = seen.exact;
      await waitUntil('searches are answered again', () => seen.exact > before + 2);
    } finally {
      isOver = true;
      await Promise.all(searches);
    }
    assert.deepEqual(seen.wrong, []);
  });

  test('a node that does not answer until the deadline makes the search fail, and it is exact afterwards', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 40, 0));
    await opened.search.refresh();
    nodes.signal(2, 'SIGSTOP');
    try {
      await assert.rejects(async () => opened.search.find(everything, '', performance.now() + 1_500), NO_ANSWER);
    } finally {
      nodes.signal(2, 'SIGCONT');
    }
    await assertExact(opened, opened.search);
  });

  test('a node that is killed while an import is published: searches keep the old data or fail, then have the new data', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 60, 0));
    await opened.search.refresh();
    // Before its rows are sent: the other shards may get theirs.
    await importRows(opened, makeCompanies(20, 30, 1));
    await using proxy = await interceptInserts(opened.place.hosts[0] ?? '', () => nodes.kill(1));
    const interrupted = opened.open({ place: { ...opened.place, hosts: [proxy.url] } });
    await assert.rejects(interrupted.refresh(), NO_ANSWER);
    await assert.rejects(async () => opened.search.find(everything), NO_ANSWER);
    await nodes.restart(1);
    await opened.search.refresh();
    assert.equal((await opened.search.readPublished())?.skipped.length, 1);
    await assertExact(opened, opened.search);

    // After the rows are there.
    await importRows(opened, makeCompanies(50, 30, 2));
    const publisher = opened.open({ beforePublish: () => nodes.kill(0) });
    await assert.rejects(publisher.refresh(), NO_ANSWER);
    await assert.rejects(async () => publisher.find(everything), NO_ANSWER);
    await nodes.restart(0);
    await opened.search.refresh();
    await assertExact(opened, opened.search);
  });

  test('a publisher that is killed before the last step leaves nothing behind, and another one takes over', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 60, 0));
    await opened.search.refresh();
    const published = await opened.search.readPublished();
    await importRows(opened, [...makeCompanies(20, 30, 1), ...makeCompanies(61, 5, 0)]);
    const { place, database } = opened;
    const script = fileURLToPath(new URL('publisher.ts', import.meta.url));
    const { dataDir, databaseUrl } = database;
    const child = spawnScript(script, [JSON.stringify({ place, database: { dataDir, databaseUrl } })], {
      env: completeEnv({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout ?? assert.fail(), 'data');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    assert.deepEqual(await opened.search.readPublished(), published);
    opened.search.start();
    const current = await findVersion(opened.registryDb);
    await waitUntil('another server has published', () => opened.search.readFigures?.()?.version === current);
    assert.equal((await opened.search.readPublished())?.skipped.length, 1);
    await assertExact(opened, opened.search);
  });

  test('a batch that arrives twice is not published, and the next publication is exact', async () => {
    await using opened = await openSearch(nodes);
    await importRows(opened, makeCompanies(1, 60, 0));
    await opened.search.refresh();
    await importRows(opened, makeCompanies(20, 30, 1));
    await using proxy = await interceptInserts(opened.place.hosts[0] ?? '', (send) => send());
    const twice = opened.open({ place: { ...opened.place, hosts: [proxy.url] } });
    await assert.rejects(twice.refresh(), /ClickHouse has 120 of 60 rows/);
    await opened.search.refresh();
    assert.equal((await opened.search.readPublished())?.skipped.length, 1);
    await assertExact(opened, opened.search);
  });
});
