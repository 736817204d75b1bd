import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { countries, registers } from '../../src/registers/index.ts';
import { testClock } from '../harness/clock.ts';
import { usualEngines } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';

interface Country {
  readonly code: string;
  readonly enabled: boolean;
  readonly freshness: string | null;
  readonly asOf: string | null;
}

const LV_FILE =
  'regcode;sepa;name;name_before_quotes;name_in_quotes;name_after_quotes;without_quotes;regtype;regtype_text;type;' +
  'type_text;registered;terminated;closed;address;index;addressid;region;city;atvk;reregistration_term\n' +
  '40003000000;;SIA "X";SIA;X;;0;K;Komercreģistrs;SIA;Sabiedrība;2000-01-01;; ;Rīga;1001;1;0;1;1;\n';

const A_LEI = '5299000J2N45DDNE4Y28';
const ANOTHER_LEI = '549300E9PC51EN656011';

/** Companies in the format of the golden copy. */
function gleifFile(...companies: readonly (readonly [lei: string, country: string])[]): string {
  const header = 'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.LegalAddress.Country,Entity.EntityStatus';
  const rows = companies.map(([lei, country]) => `${lei},COMPANY ${lei},${country},${country},ACTIVE`);
  return `${[header, ...rows].join('\n')}\n`;
}

for (const engine of usualEngines) {
  describe(`GET /api/v1/countries on ${engine}`, () => {
    test('200: all countries including planned ones, sorted by code, with their number', async () => {
      await using service = await startService(engine);
      const { status, body } = await service.client.get('/api/v1/countries');
      assert.equal(status, 200);
      assert.equal(body.meta.count, countries.length);
      const codes = body.data.map(({ code }: { code: string }) => code);
      assert.deepEqual(codes, [...codes].sort());
      assert.deepEqual(
        body.data.find(({ code }: { code: string }) => code === 'NO'),
        {
          code: 'NO',
          name: 'Norway',
          nativeName: 'Norge / Noreg',
          enabled: false,
          freshness: null,
          asOf: null,
        },
      );
      for (const country of ['AU', 'FR', 'UA', 'US']) assert.ok(codes.includes(country));
    });

    const importInto = async (service: TestService, id: string, files: Readonly<Record<string, string>>) => {
      const register = registers.find((candidate) => candidate.id === id) as (typeof registers)[0];
      const paths = Object.entries(files).map(([name, text]) => {
        writeFileSync(join(service.database.dataDir, name), text);
        return join(service.database.dataDir, name);
      });
      await importFiles(service.services.registryDb, service.clock, { register, registers, paths, mode: 'full' });
      await service.services.search.refresh();
    };
    const listEnabled = async ({ client }: TestService): Promise<Country[]> =>
      (await client.get('/api/v1/countries')).body.data.filter(({ enabled }: Country) => enabled);

    test('a country is enabled when it has an entity, of whichever register, listed or delisted', async () => {
      await using service = await startService(engine);
      await importInto(service, 'lv', { 'register.csv': LV_FILE });
      assert.deepEqual(
        (await listEnabled(service)).map(({ code }) => code),
        ['LV'],
      );
      await importInto(service, 'gleif', { 'lei.csv': gleifFile([A_LEI, 'DE'], [ANOTHER_LEI, 'JP']) });
      const enabled = await listEnabled(service);
      assert.deepEqual(
        enabled.map(({ code }) => code),
        ['DE', 'JP', 'LV'],
      );
      assert.deepEqual(
        enabled.find(({ code }) => code === 'JP'),
        { code: 'JP', name: 'Japan', nativeName: '日本', enabled: true, freshness: 'fresh', asOf: null },
      );
      await importInto(service, 'gleif', { 'newer.csv': gleifFile([A_LEI, 'DE']) });
      assert.ok((await listEnabled(service)).some(({ code }) => code === 'JP'));
      const { body } = await service.client.get('/api/v1/countries');
      const codes = body.data.map(({ code }: Country) => code);
      assert.deepEqual([body.meta.count, codes], [countries.length + 1, [...codes].sort()]);
    });

    for (const searchEngine of engine === 'postgres' ? ['memory', 'postgres'] : ['memory']) {
      test(`data becomes due and overdue with time, and the entity tag follows (search: ${searchEngine})`, async (t) => {
        const clock = testClock('2026-09-02T12:00:00.000Z');
        await using service = await startService(engine, { clock, env: { SEARCH_ENGINE: searchEngine } });
        await importInto(service, 'gleif', { '20260901-gleif.csv': gleifFile([A_LEI, 'LV'], [ANOTHER_LEI, 'JP']) });
        await importInto(service, 'lv', { 'register.csv': LV_FILE });
        // Synthetic data says nothing about how current a country is.
        await importSynthetic(service, 'ie', 3);
        const { mock } = t.mock.method(service.services.registry, 'listCountries');
        const read = async (time: string, tag = '""') => {
          clock.set(time);
          const { status, headers, body } = await service.client.get('/api/v1/countries', {
            headers: { 'if-none-match': tag },
          });
          const judged: Country[] = (body?.data ?? []).filter(({ freshness }: Country) => freshness !== null);
          const states = judged.map(({ code, freshness, asOf }) => `${code} ${freshness} ${asOf}`);
          return { status, tag: headers.get('etag') ?? '', states };
        };
        const fresh = await read('2026-09-02T12:00:00.000Z');
        assert.deepEqual(fresh.states, ['JP fresh 2026-09-01', 'LV fresh null']);
        // Judged at the start of the minute, when the data is exactly one day old.
        assert.equal((await read('2026-09-03T00:00:59.999Z', fresh.tag)).status, 304);
        const due = await read('2026-09-03T00:01:00.000Z', fresh.tag);
        assert.deepEqual([due.status, due.states], [200, ['JP due 2026-09-01', 'LV fresh null']]);
        assert.equal((await read('2026-09-03T12:00:59.000Z', due.tag)).status, 304);
        assert.deepEqual((await read('2026-09-06T00:00:00.000Z', due.tag)).states, [
          'JP overdue 2026-09-01',
          'LV overdue null',
        ]);
        assert.equal((await read('2026-09-02T23:59:00.000Z')).tag, fresh.tag);
        assert.equal(mock.callCount(), 1);
        await importInto(service, 'gleif', { '20260905-gleif.csv': gleifFile([A_LEI, 'LV'], [ANOTHER_LEI, 'DE']) });
        const imported = await read('2026-09-06T00:00:00.000Z', fresh.tag);
        assert.deepEqual(imported.states, ['DE fresh 2026-09-05', 'JP fresh 2026-09-05', 'LV overdue null']);
      });
    }

    test('400 for any parameter; 503 when the database is unavailable', async () => {
      await using service = await startService(engine);
      assert.equal((await service.client.get('/api/v1/countries?enabled=true')).status, 400);
      await service.services.registryDb.close();
      const reply = await service.client.get('/api/v1/countries');
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
    });
  });
}
