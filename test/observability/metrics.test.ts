import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../src/base/errors.ts';
import { createMetrics, type GaugeValue } from '../../src/base/observability/metrics.ts';
import { describeVersion } from '../../src/base/version.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { recordFailure, recordSuccess } from '../../src/registry/records/imports/store.ts';
import type { IndexFigures } from '../../src/search/search.ts';
import { describeIndex } from '../../src/services/gauges.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { useService } from '../harness/shared-service.ts';
import { company, writeGb } from '../registry/gb-file.ts';

test('the metrics of the search index have the names that docs and dashboards use, and follow the index', async () => {
  const metrics = createMetrics();
  let index: IndexFigures | undefined;
  metrics.watch(() => describeIndex(index));
  const readWork = async () => (await readLines()).filter((line) => line.startsWith('search_index_work_seconds'));
  const readLines = async () => (await metrics.render()).text.split('\n').filter((line) => line.startsWith('search_'));

  assert.deepEqual(await readWork(), [], 'there is no index yet');
  index = {
    version: describeVersion(3, Date.parse('2026-03-15T12:00:00.500Z')),
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

const readLines = (text: string) => text.split('\n').filter((line) => /^register_/.test(line));

describe('metrics of registers', () => {
  const service = useService('sqlite');

  test('they show how current official data is, and which sources fail; synthetic data is left out', async () => {
    const { services, clock } = service;
    clock.set('2026-03-15T12:00:00Z');
    await importFile('gb', writeGb(service.database.dataDir, 'gb.csv', [company('00000001', 'FIRST LTD')]));
    await importFile('ee', await writeSynthetic(service.database.dataDir, generateFile(findRegister('ee'), 5, 1)));
    const db = services.registryDb;
    clock.set('2026-03-16T12:00:00Z');
    await recordSuccess(db, 'gb', clock.now());
    for (let attempt = 0; attempt < 2; attempt++) await recordFailure(db, 'lv', 'It failed.', clock.now());
    services.metrics.count('register_updates_total', { outcome: 'failed' });
    clock.set('2026-04-16T12:00:00Z');
    const { text } = await services.metrics.render();
    assert.deepEqual(readLines(text), [
      'register_updates_total{outcome="updated"} 0',
      'register_updates_total{outcome="unchanged"} 0',
      'register_updates_total{outcome="failed"} 1',
      `register_imported_timestamp_seconds{register="gb"} ${Date.parse('2026-03-15T12:00:00Z') / 1000}`,
      `register_checked_timestamp_seconds{register="gb"} ${Date.parse('2026-03-16T12:00:00Z') / 1000}`,
      'register_check_failures{register="gb"} 0',
      'register_check_failures{register="lv"} 2',
      'register_freshness{register="gb",state="fresh"} 0',
      'register_freshness{register="gb",state="due"} 1',
      'register_freshness{register="gb",state="overdue"} 0',
    ]);
  });

  const findRegister = (id: string) => registers.find((register) => register.id === id) ?? assert.fail(id);
  const importFile = (id: string, path: string) =>
    importFiles(service.services.registryDb, service.clock, {
      register: findRegister(id),
      registers,
      paths: [path],
      mode: 'partial',
    });

  const values: GaugeValue[] = [
    ['register_data_timestamp_seconds', 86_400, { register: 'gb' }],
    ['register_imported_timestamp_seconds', null, { register: 'gb' }],
    ['register_check_failures', 1, { register: 'gb' }],
  ];

  test('a scrape asks once, and the next ones within 30 seconds do not ask again', async (t) => {
    let time = 0;
    t.mock.method(performance, 'now', () => time);
    const metrics = createMetrics();
    const read = t.mock.fn(async () => values);
    metrics.watchStore(read);
    for (let scrape = 0; scrape < 3; scrape++) {
      const { text } = await metrics.render();
      assert.deepEqual(readLines(text).slice(3), [
        'register_data_timestamp_seconds{register="gb"} 86400',
        'register_check_failures{register="gb"} 1',
      ]);
    }
    time = 29_999;
    await metrics.render();
    assert.equal(read.mock.callCount(), 1);
    time = 30_000;
    await metrics.render();
    assert.equal(read.mock.callCount(), 2);
  });

  test('a database that fails or does not respond does not keep a scrape', async () => {
    const metrics = createMetrics();
    const never = Promise.withResolvers<GaugeValue[]>();
    let answer: () => Promise<GaugeValue[]> = () => Promise.reject(new Failure('service_unavailable', {}));
    metrics.watchStore(() => answer());
    const scrape = async () => readLines((await metrics.render()).text).slice(3);
    assert.deepEqual(await scrape(), []);
    answer = () => never.promise;
    assert.deepEqual(await scrape(), []);
    never.resolve(values);
    assert.equal((await scrape()).length, 2);
  });
});
