import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_PARTY_MODES } from '../../src/core/party-modes.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { createSourceChecks } from '../../src/registry/checks/checks.ts';
import { updateRegister } from '../../src/updating/update.ts';
import type { UpdateResult } from '../../src/updating/update-result.ts';
import { testClock } from '../harness/clock.ts';
import { type Engine, usualEngines } from '../harness/databases.ts';
import { untilSearchServes } from '../harness/entities.ts';
import { type ImitatedPublishers, imitatePublishers } from '../harness/imitated-publishers.ts';
import { startService, type TestService } from '../harness/service.ts';
import { recognize } from '../sources/fetching.ts';
import { LIMITS } from './updating.ts';

/** Generated files are small. */
const fetchable = registers.flatMap((register): Register[] => {
  const { fetch: plan } = register;
  return plan.kind === 'manual' ? [] : [{ ...register, fetch: { ...plan, size: { ...plan.size, min: 1 } } }];
});

async function updateAll({ services, database, clock }: TestService, proxy: string): Promise<UpdateResult[]> {
  const results: UpdateResult[] = [];
  for (const register of fetchable) {
    const result = await updateRegister(register, {
      db: services.registryDb,
      checks: createSourceChecks(services.registryDb),
      clock,
      log: services.log,
      sources: {
        folder: join(database.dataDir, 'sources'),
        keep: 2,
        overrides: new Map(),
        proxies: { http: '', https: proxy, except: '' },
        userAgent: 'test',
        clock,
        limits: LIMITS,
        recognize,
        parties: DEFAULT_PARTY_MODES,
      },
      program: '1.0.0',
      dryRun: false,
      signal: new AbortController().signal,
      onFetch: () => {},
      onImport: () => {},
    });
    results.push(result);
  }
  return results;
}

const list = (results: readonly UpdateResult[]) => results.map(({ register, outcome }) => `${register} ${outcome}`);
const expectAll = (outcome: string) => fetchable.map(({ id }) => `${id} ${outcome}`);

describe('updates of all registers', () => {
  let publishers: ImitatedPublishers;
  before(async () => {
    publishers = await imitatePublishers(fetchable, new Date(testClock().now()));
  });
  after(() => publishers.close());

  for (const engine of usualEngines) describe(`on ${engine}`, () => testUpdates(engine, () => publishers));
});

function testUpdates(engine: Engine, publishers: () => ImitatedPublishers): void {
  let service: TestService;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service[Symbol.asyncDispose]());
  const countFound = async () => {
    const found: Record<string, number> = {};
    for (const { id, country } of fetchable) {
      const filter = country === null ? 'q=a' : `country=${country}`;
      const { body } = await service.client.get(`/api/v1/entities?${filter}`);
      found[id] = body.meta.total;
    }
    return found;
  };

  test('bring at least 15 registers to search results, with the addresses of their files', async () => {
    assert.ok(fetchable.length >= 15);
    const results = await updateAll(service, publishers().proxy);
    assert.deepEqual(list(results), expectAll('updated'), results.map(({ message }) => message ?? '').join('\n'));
    await untilSearchServes(service);
    for (const [id, total] of Object.entries(await countFound())) assert.ok(total > 0, id);
    const { body } = await service.client.get('/api/v1/entities?country=GB');
    const { body: record } = await service.client.get(`/api/v1/entities/${body.data[0].id}`);
    assert.match(record.data.provenance.sourceUrl, /\/BasicCompanyDataAsOneFile-2026-03-01\.zip$/);
  });

  test('find nothing new the next time', async () => {
    const before = await service.services.registry.version();
    assert.deepEqual(list(await updateAll(service, publishers().proxy)), expectAll('unchanged'));
    assert.equal(await service.services.registry.version(), before);
  });

  test('change nothing when all publishers have vanished or changed their pages, and say where to look', async () => {
    const before = [await service.services.registry.version(), await countFound()];
    const empty = await imitatePublishers([], new Date(service.clock.now()), publishers().certificate);
    const results = await updateAll(service, empty.proxy);
    await empty.close();
    assert.deepEqual(list(results), expectAll('failed'));
    for (const { message } of results) assert.match(message ?? '', /find its new address on https:.* FETCH_SOURCES\.$/);
    assert.deepEqual([await service.services.registry.version(), await countFound()], before);
    const checks = await createSourceChecks(service.services.registryDb).list();
    assert.deepEqual(new Set(checks.map(({ failures }) => failures)), new Set([1]));
  });
}
