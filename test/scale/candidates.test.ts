import { testCandidates } from '../search/candidate-cases.ts';
import { NOW } from '../search/postgres-search.ts';
import { storeWorld } from '../search/world-store.ts';
import { openSearch } from './clickhouse-search.ts';
import { skipped, startNodes } from './nodes.ts';

testCandidates('three shards of ClickHouse', openClickhouse, { skip: skipped });

async function openClickhouse() {
  const nodes = await startNodes(3);
  const opened = await openSearch(nodes);
  return {
    db: opened.registryDb,
    source: opened.search.candidates,
    async store(world: Parameters<typeof storeWorld>[1]) {
      await storeWorld(opened.registryDb, world, NOW);
      await opened.search.refresh();
    },
    async close() {
      await opened[Symbol.asyncDispose]();
      await nodes[Symbol.asyncDispose]();
    },
  };
}
