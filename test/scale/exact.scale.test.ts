import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { findVersion } from '../../src/base/db/version.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import { testCandidates } from '../search/candidate-cases.ts';
import { answer, answerAfresh, makeCompanies } from '../search/following.ts';
import { askOracle, countByOracle, type OracleQuery, type OracleRecord } from '../search/oracle.ts';
import { readData } from '../search/whole.ts';
import { scenarios } from '../search/world-queries.ts';
import { changeWorld, NOW, recordsOf, storeWorld } from '../search/world-store.ts';
import { importRows, journalChange, type Opened, openSearch } from './clickhouse-search.ts';
import { type Nodes, skipped, startNodes } from './nodes.ts';

/** How many random queries are sent, half of them before and half of them after a second import. */
const QUERIES = Number(process.env.SCALE_QUERIES ?? 400);
const PER_WORLD = 400;
/** Queries at the same time, and which of them are also asked for the whole result and for counts. */
const [AT_ONCE, IN_FULL] = [4, 10];
const FACETS = ['country', 'status', 'register', 'jurisdiction', 'legalForm', 'legalFormClass', 'isic'] as const;

describe('search in three shards of ClickHouse', { skip: skipped }, () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(3);
  });
  after(() => nodes?.[Symbol.asyncDispose]());

  test('random queries are answered like the oracle over two imports, with whole results and counts', async (t) => {
    await using opened = await openSearch(nodes);
    const { search, registryDb } = opened;
    for (let sent = 0; sent < QUERIES; sent += PER_WORLD) {
      const [scenario] = fc.sample(scenarios(Math.min(PER_WORLD, QUERIES - sent) / 2), 1);
      const { entities, queries, change, later } = scenario ?? assert.fail();
      const stored = await storeWorld(registryDb, entities, NOW);
      assert.ok(await search.rebuild(() => undefined));
      await compareAll(opened, recordsOf(stored), queries);
      const changed = await changeWorld(registryDb, stored, change, NOW + 1_000);
      await journalChange(registryDb, stored, changed, NOW + 1_000);
      const { build } = (await search.readPublished()) ?? {};
      await search.refresh();
      assert.equal((await search.readPublished())?.build, build, 'the second import was followed by the journal');
      await compareAll(opened, recordsOf(changed), later);
      t.diagnostic(`${sent + queries.length + later.length} queries, no difference`);
    }
  });

  test('it follows imports by the journal, and counts the values of filters', async () => {
    await using opened = await openSearch(nodes);
    const { search, registryDb } = opened;
    await importRows(opened, makeCompanies(1, 60, 0));
    await search.refresh();
    await importRows(opened, [...makeCompanies(20, 30, 1), ...makeCompanies(61, 5, 0)]);
    await search.refresh();
    assert.equal(opened.lines.filter((line) => line === 'search index updated').length, 1);
    assert.deepEqual(await answer(search), (await answerAfresh(registryDb)).answers);
    const base = await buildIndex(registryDb);
    const memory = createServedIndex();
    memory.use({ version: base.version, base });
    assert.deepEqual(await search.listChoices(), await memory.listChoices());
  });
});

testCandidates('three shards of ClickHouse', openCandidates, { skip: skipped });

async function openCandidates() {
  const nodes = await startNodes(3);
  const opened = await openSearch(nodes);
  return {
    candidates: opened.search.candidates,
    async store(world: Parameters<typeof storeWorld>[1]) {
      const stored = await storeWorld(opened.registryDb, world, NOW);
      await opened.search.refresh();
      return recordsOf(stored);
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await nodes[Symbol.asyncDispose]();
    },
  };
}

async function compareAll(opened: Opened, records: readonly OracleRecord[], queries: readonly OracleQuery[]) {
  const version = await findVersion(opened.registryDb);
  const left = [...queries.entries()];
  const ask = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [at, query] = next;
      const reply = await opened.search.find(query);
      assert.equal(new TextDecoder().decode(reply.body), askOracle(records, query).body, JSON.stringify(query));
      assert.equal(reply.version, version);
      if (at % IN_FULL === 0) await compareInFull(opened, records, query);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
}

async function compareInFull({ search }: Opened, records: readonly OracleRecord[], query: OracleQuery): Promise<void> {
  const { body, total } = askOracle(records, { ...query, page: 1, pageSize: Math.max(1, records.length) });
  const whole = await search.readAll(query, async (result) => [result.total, await readData(result)] as const);
  assert.deepEqual(whole, [total, body.slice(0, body.indexOf('"meta"'))], JSON.stringify(query));
  const facets = await search.countFacets(query);
  for (const name of FACETS) {
    assert.deepEqual(facets?.[name], countByOracle(records, query, name), `${name} of ${JSON.stringify(query)}`);
  }
}
