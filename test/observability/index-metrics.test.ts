import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { type IndexMetrics, registerIndexMetrics } from '../../src/observability/index-metrics.ts';

test('the metrics of the search index have the names that docs and dashboards use, and follow the index', async () => {
  const registry = new Registry();
  let index: IndexMetrics | undefined;
  registerIndexMetrics(registry, () => index);
  const readWork = async () => (await readLines()).filter((line) => line.startsWith('search_index_work_seconds'));
  const readLines = async () => (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line));

  assert.deepEqual(await readWork(), [], 'there is no index yet');
  index = {
    generation: 3,
    publishedAt: Date.parse('2026-03-15T12:00:00.500Z'),
    entities: 40,
    overlayDocuments: 5,
    segments: 6,
    behind: 2,
    bytes: 7_000,
    seconds: { build: 8.5 },
  };
  assert.deepEqual(await readLines(), [
    'search_data_generation 3',
    'search_data_published_timestamp_seconds 1773576000.5',
    'search_index_entities 40',
    'search_index_overlay_documents 5',
    'search_index_segments 6',
    'search_generations_behind 2',
    'search_index_bytes 7000',
    'search_index_work_seconds{work="build"} 8.5',
  ]);
  index = { ...index, seconds: { build: 8.5, update: 0.25, fold: 1 } };
  assert.deepEqual(await readWork(), [
    'search_index_work_seconds{work="build"} 8.5',
    'search_index_work_seconds{work="update"} 0.25',
    'search_index_work_seconds{work="fold"} 1',
  ]);
});
