import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { findNamedTag } from '../../src/api/serving/data-operation.ts';
import { version } from '../../src/base/config/config.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import type { TestService, TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company, GB_HEADER } from '../registry/gb-file.ts';
import { pageOpener } from '../web/pages.ts';

/** UUIDv5 of GB/gb/00000001. */
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const UNKNOWN = '00000000-0000-5000-8000-000000000000';
const pathOf = (id: string) => `/api/v1/entities/${id}`;

/** Sends `If-None-Match`. A 304 has no body, so there is nothing to check against the contract. */
const revalidate = async (service: TestService, path: string, tag: string, method = 'GET') =>
  fetch(service.url + path, { method, headers: { 'if-none-match': tag, 'x-api-key': await service.findKey() } });

describeOn(usualEngines, 'GET /api/v1/entities/{id}', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importCompanies(service, [
      company('00000001', 'ALPHA "QUOTED" LTD', { 'RegAddress.PostTown': ' LEEDS ', URI: 'http://x/00000001' }),
      company('00000002', 'BETA LTD', { CompanyCategory: '', IncorporationDate: '' }),
    ]);
  });

  test('200: the full record, every source field under its exact name', async () => {
    const { client, clock } = service;
    const { status, body, headers } = await client.get(pathOf(ALPHA));
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    const { registry, sourceData, registrations, related, partyCounts, provenance, ...summary } = body.data;
    assert.deepEqual(Object.keys(body.data), [
      ...Object.keys(summary),
      'registry',
      'sourceData',
      'registrations',
      'related',
      'partyCounts',
      'provenance',
    ]);
    assert.deepEqual(related, []);
    assert.equal(partyCounts, null);
    assert.deepEqual(summary, {
      id: ALPHA,
      countryCode: 'GB',
      register: 'gb',
      registrationNumber: '00000001',
      city: 'LEEDS',
      canonicalName: 'ALPHA "QUOTED" LTD',
      status: 'active',
      legalForm: 'Private Limited Company',
      registeredAt: '2003-02-01',
      updatedAt: new Date(clock.now()).toISOString(),
      jurisdiction: 'GB-EAW',
      isic: null,
      elf: 'H0PO',
      legalFormClass: 'limited_company',
    });
    assert.deepEqual(Object.keys(sourceData), GB_HEADER.split(','));
    assert.equal(sourceData['RegAddress.PostTown'], ' LEEDS ');
    assert.equal(
      sourceData[' CompanyNumber'],
      '00000001',
      'leading zeros of the number and the space in the column name are kept',
    );
    assert.equal(registrations[0].number, '00000001');
    assert.deepEqual(Object.keys(registrations[0]), [
      'authority',
      'type',
      'number',
      'status',
      'registeredAt',
      'endedAt',
    ]);
    assert.equal(typeof registry, 'object');
    assert.equal(provenance.row, 2);
  });

  test('provenance shows the file, its hash and the time of the import, and the ETag identifies the data', async () => {
    const { body, headers } = await service.client.get(pathOf(ALPHA));
    const { file, hash, importedAt, sourceUrl, licence, register } = body.data.provenance;
    assert.deepEqual(
      [register, file, importedAt],
      ['gb', 'companies.csv', new Date(service.clock.now()).toISOString()],
    );
    assert.match(hash, /^sha256:[0-9a-f]{64}$/);
    assert.ok(URL.canParse(sourceUrl) && licence.length > 0);
    const tag = `^"${version}.${await service.services.registry.version()}.\\d+-\\d+(?:-gzip|-br)?"$`;
    assert.match(headers.get('etag') ?? '', new RegExp(tag));
  });

  test('200: fields without a value in the source are null', async () => {
    const { client } = service;
    const { body } = await client.get('/api/v1/entities?q=beta');
    const beta = (await client.get(pathOf(body.data[0].id))).body.data;
    assert.deepEqual([beta.legalForm, beta.registeredAt], [null, null]);
    for (const [name, value] of Object.entries(body.data[0]))
      assert.equal(beta[name], value, `search returns the same ${name}`);
  });

  test('an id in upper case finds the same record', async () => {
    const { client } = service;
    assert.equal((await client.get(pathOf(ALPHA.toUpperCase()))).text, (await client.get(pathOf(ALPHA))).text);
  });

  test('400 for a malformed id and for any query parameter', async () => {
    const { client } = service;
    const bare = ALPHA.replaceAll('-', '');
    for (const id of [
      'x',
      '1',
      'null',
      bare,
      `${ALPHA}x`,
      `${ALPHA.slice(1)}g`,
      `{${ALPHA}}`,
      '%00',
      '%F0%9F%98%80',
      "';--",
      `${ALPHA}%20`,
    ]) {
      const { status, body, headers } = await client.get(pathOf(id));
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], id);
      assert.match(body.error.message, /must be a UUID: use the "id" of a search result/);
      assert.equal(headers.get('etag'), null);
    }
    const { status, body } = await client.get(`${pathOf(ALPHA)}?fields=id`);
    assert.equal(status, 400);
    assert.match(body.error.message, /"fields": remove it, this path has none/);
  });

  test('404 entity_not_found for an unknown id, which is not cached', async () => {
    const tag = (await service.client.get(pathOf(ALPHA))).headers.get('etag') ?? '';
    for (const headers of [{}, { 'if-none-match': tag }, { 'if-none-match': '*' }]) {
      const reply = await service.client.get(pathOf(UNKNOWN), { headers });
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'entity_not_found']);
      assert.deepEqual([reply.headers.get('etag'), reply.headers.get('cache-control')], [null, 'no-store']);
    }
  });

  test('304 for a current ETag on all data endpoints; an import changes the ETag', async () => {
    for (const path of ['/api/v1/countries', '/api/v1/entities?q=alpha', pathOf(ALPHA)]) {
      const full = await service.client.get(path);
      const tag = full.headers.get('etag') ?? '';
      for (const known of [tag, `W/${tag}`, `"old", ${tag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const reply = await revalidate(service, path, known, method);
          assert.deepEqual([reply.status, await reply.text()], [304, ''], `${method} ${path} ${known}`);
          assert.deepEqual([reply.headers.get('etag'), reply.headers.get('cache-control')], [tag, 'private, no-cache']);
          assert.ok(reply.headers.get('x-request-id'));
          assert.deepEqual([reply.headers.get('content-length'), reply.headers.get('content-type')], [null, null]);
        }
      }
      const other = await service.client.get(path, { headers: { 'if-none-match': '"old"' } });
      assert.deepEqual([other.status, other.text, other.headers.get('etag')], [200, full.text, tag]);

      service.clock.advance(1_000);
      await importCompanies(service, [company('00000001', `ALPHA ${service.clock.now()} LTD`)]);
      const changed = await revalidate(service, path, tag);
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.get('etag'), tag);
    }
  });

  test('concurrent lookups share a statement, and few different statements are prepared', async () => {
    const { services } = service;
    const statements: string[] = [];
    const db = { ...services.registryDb };
    const registry = createRegistry(
      {
        ...db,
        all: (sql, params) => {
          statements.push(sql);
          return db.all(sql, params);
        },
        rows: (sql, params) => {
          statements.push(sql);
          return db.rows(sql, params);
        },
      },
      registers,
    );
    await registry.findEntity(ALPHA);
    const [, files, parts, layouts, ...more] = statements.splice(0);
    assert.match(files ?? '', /FROM files/);
    assert.match(parts ?? '', /FROM parts/);
    assert.match(layouts ?? '', /FROM layouts/);
    assert.deepEqual(more, []);
    const ids = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? ALPHA : UNKNOWN));
    const found = await Promise.all(ids.map((id) => registry.findEntity(id)));
    for (const [index, entity] of found.entries()) assert.equal(entity !== undefined, index % 2 === 0);
    assert.equal(statements.length, 2);
    for (let count = 1; count <= 64; count++) {
      await Promise.all(Array.from({ length: count }, () => registry.findEntity(ALPHA)));
    }
    assert.equal(new Set(statements).size, 4);
  });

  test('a record whose import is unknown has no provenance at all', async () => {
    const { client, services } = service;
    await importCompanies(service, [company('00000003', 'GAMMA LTD')]);
    await services.registryDb.run('DELETE FROM files');
    const [{ id }] = (await client.get('/api/v1/entities?q=gamma')).body.data;
    const { status, body } = await client.get(pathOf(id));
    assert.deepEqual([status, body.data.provenance], [200, null]);
  });
});

test('If-None-Match is a list of tags; malformed values match nothing', () => {
  for (const [header, expected] of [
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b","a"', true],
    ['*', false],
    ['"A"', false],
    ['a', false],
    ['', false],
    ['"*"', false],
    ['*, "b"', false],
    ['"', false],
    ['"b""', false],
  ] as const) {
    const codings = { preferred: undefined, accepted: [], acceptsPlain: true };
    assert.equal(findNamedTag(header, '"a"', codings), expected ? '"a"' : undefined, header);
  }
});

/** An earlier release may have stored records that are hard to show. A request that fails is not charged. */
describeOn(usualEngines, 'records that are hard to show', (engine) => {
  const service = useService(engine);
  let session: TestSession;
  let ids: string[];
  let id: string;
  const countUsed = async () => (await service.services.meter.readUsage(session.account)).used;
  const store = (columns: { registry?: string; sourceData?: string; layout?: number | null }) =>
    service.services.registryDb.run(`UPDATE entities SET registry = $1, source_data = $2, layout = $3 WHERE id = $4`, [
      columns.registry ?? '{}',
      columns.sourceData ?? '{}',
      columns.layout ?? null,
      id,
    ]);

  before(async () => {
    await importSynthetic(service, 'gb', 6);
    const found = await service.services.registryDb.all<{ id: string }>('SELECT id FROM entities ORDER BY id');
    ids = found.map((row) => row.id);
  });
  beforeEach(async () => {
    session = await service.signIn();
    id = ids.at(-1) ?? '';
  });

  for (const [index, depth] of [50, 5_000, 20_000, 200_000].entries()) {
    test(`nested ${depth} levels deep: the page says where it stops, the API sends all of it`, async () => {
      id = ids[index] ?? '';
      const registry = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const sourceData = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      await store({ registry, sourceData });
      const page = await pageOpener(service)(`/entities/${id}`, session);
      assert.equal(page.status, 200);
      assert.match(page.text, /nested more than 16 levels deep: see the JSON/);
      assert.ok(page.html.length < 400_000, `${page.html.length} characters`);
      assert.equal(await countUsed(), 1);
      const reply = await fetch(`${service.url}/api/v1/entities/${id}`, {
        headers: { 'x-api-key': await service.findKey() },
      });
      assert.equal(reply.status, 200);
      assert.ok((await reply.text()).includes(`"registry":${registry},"sourceData":${sourceData}`));
    });
  }

  test('a page that cannot be rendered is not charged, however often it is opened', async () => {
    await store({ registry: '{"status":' });
    for (let round = 0; round < 5; round++) {
      const page = await pageOpener(service)(`/entities/${id}`, session);
      assert.equal(page.status, 500);
    }
    assert.equal(await countUsed(), 0);
  });
});
