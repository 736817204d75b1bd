import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers as allRegisters, countries, registers } from '../../src/registers/index.ts';
import { testClock } from '../harness/clock.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies, importSynthetic, importSyntheticAll, untilSearchServes } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

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

describeOn(usualEngines, 'GET /api/v1/countries', (engine) => {
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
    await importInto(service, 'gleif', { 'lei.csv': gleifFile([A_LEI, 'DE'], [ANOTHER_LEI, 'KR']) });
    const enabled = await listEnabled(service);
    assert.deepEqual(
      enabled.map(({ code }) => code),
      ['DE', 'KR', 'LV'],
    );
    assert.deepEqual(
      enabled.find(({ code }) => code === 'KR'),
      { code: 'KR', name: 'South Korea', nativeName: '대한민국', enabled: true, freshness: 'fresh', asOf: null },
    );
    await importInto(service, 'gleif', { 'newer.csv': gleifFile([A_LEI, 'DE']) });
    assert.ok((await listEnabled(service)).some(({ code }) => code === 'KR'));
    const { body } = await service.client.get('/api/v1/countries');
    const codes = body.data.map(({ code }: Country) => code);
    assert.deepEqual([body.meta.count, codes], [countries.length + 1, [...codes].sort()]);
  });

  test('data becomes due and overdue with time, and the entity tag follows', async (t) => {
    const clock = testClock('2026-09-02T12:00:00.000Z');
    await using service = await startService(engine, { clock });
    await importInto(service, 'gleif', { '20260901-gleif.csv': gleifFile([A_LEI, 'LV'], [ANOTHER_LEI, 'KR']) });
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
    assert.deepEqual(fresh.states, ['KR fresh 2026-09-01', 'LV fresh null']);
    // Judged at the start of the minute, when the data is exactly one day old.
    assert.equal((await read('2026-09-03T00:00:59.999Z', fresh.tag)).status, 304);
    const due = await read('2026-09-03T00:01:00.000Z', fresh.tag);
    assert.deepEqual([due.status, due.states], [200, ['KR due 2026-09-01', 'LV fresh null']]);
    assert.equal((await read('2026-09-03T12:00:59.000Z', due.tag)).status, 304);
    assert.deepEqual((await read('2026-09-06T00:00:00.000Z', due.tag)).states, [
      'KR overdue 2026-09-01',
      'LV overdue null',
    ]);
    assert.equal((await read('2026-09-02T23:59:00.000Z')).tag, fresh.tag);
    assert.equal(mock.callCount(), 1);
    await importInto(service, 'gleif', { '20260905-gleif.csv': gleifFile([A_LEI, 'LV'], [ANOTHER_LEI, 'DE']) });
    const imported = await read('2026-09-06T00:00:00.000Z', fresh.tag);
    assert.deepEqual(imported.states, ['DE fresh 2026-09-05', 'KR fresh 2026-09-05', 'LV overdue null']);
  });

  test('400 for any parameter; 503 when the database is unavailable', async () => {
    await using service = await startService(engine);
    assert.equal((await service.client.get('/api/v1/countries?enabled=true')).status, 400);
    await service.services.registryDb.close();
    const reply = await service.client.get('/api/v1/countries');
    assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
  });
});

/** Of each register. */
const ROWS = runs(5, 20);
/** A register of one file, one whose files are joined, and one of several countries: enough for the second database. */
const FEW = ['gb', 'be', 'gleif'];

describeOn(usualEngines, 'every register', (engine) => {
  const registers = engine === 'sqlite' || isDeep ? allRegisters : allRegisters.filter(({ id }) => FEW.includes(id));
  const ids = registers.map(({ id }) => id);
  const service = useService(engine);
  before(async () => {
    await importSyntheticAll(service, ROWS, ids);
  });

  test('is listed in the countries and on the coverage page', async () => {
    const { body } = await service.client.get('/api/v1/countries');
    const enabled = body.data.filter(({ enabled }: { enabled: boolean }) => enabled);
    const codes = new Set(enabled.map(({ code }: { code: string }) => code));
    const stored = await service.services.registryDb.all<{ code: string }>(
      'SELECT DISTINCT country_code AS code FROM entities',
    );
    assert.deepEqual(codes, new Set(stored.map(({ code }) => code).sort()));
    for (const { id, country } of registers) assert.ok(country === null || codes.has(country), id);
    const { text } = await service.client.get('/coverage');
    for (const { name } of registers)
      assert.ok(text.includes(name.replaceAll("'", '&#39;')), `${name} is not on the coverage page`);
  });

  test('every record matches the contract, and sample data is marked', async () => {
    for (let page = 1, seen = 0; seen < registers.length * ROWS; page++) {
      const { body } = await service.client.get(`/api/v1/entities?pageSize=100&page=${page}`);
      assert.equal(body.meta.total, registers.length * ROWS);
      const ids: string[] = body.data.map(({ id }: { id: string }) => id);
      seen += ids.length;
      const records = await Promise.all(ids.map((id) => service.client.get(`/api/v1/entities/${id}`)));
      for (const [index, { status, body: record }] of records.entries()) {
        assert.equal(status, 200);
        assert.equal(record.data.id, ids[index], 'the response belongs to another request');
        assert.match(record.data.provenance.licence, /synthetic/i);
        assert.ok(Object.keys(record.data.sourceData).length > 0);
      }
    }
  });

  for (const id of ids) {
    test(`${id}: a company is found by its number and its name, and its record can be retrieved`, async () => {
      const { registryDb } = service.services;
      const sql = `SELECT id, canonical_name AS name, registrations FROM entities WHERE register = $1 AND registrations <> '[]' LIMIT 1`;
      const stored = await registryDb.one<{ id: string; name: string; registrations: string }>(sql, [id]);
      assert.ok(stored !== undefined);
      const [{ number }] = JSON.parse(stored.registrations);
      for (const q of [number, stored.name]) {
        const { body } = await service.client.get(`/api/v1/entities?q=${encodeURIComponent(q)}&pageSize=100`);
        assert.ok(
          body.data.some((found: { id: string }) => found.id === stored.id),
          `no result for ${q}`,
        );
      }
      const { status, body } = await service.client.get(`/api/v1/entities/${stored.id}`);
      assert.deepEqual([status, body.data.provenance.register], [200, id]);
    });
  }
});

/** A company in its national register and, with an LEI, in GLEIF; and a fund from a country without a register. */
const NUMBER = '00445790';
const LEI = '001GPB6A9XPE8XJICC14';
const OTHER = '02000001';

const record = (lei: string, name: string, jurisdiction: string, authority: string) => `<lei:LEIRecord>
  <lei:LEI>${lei}</lei:LEI><lei:Entity><lei:LegalName>${name}</lei:LegalName><lei:RegistrationAuthority>${authority}</lei:RegistrationAuthority>
  <lei:LegalJurisdiction>${jurisdiction}</lei:LegalJurisdiction><lei:EntityStatus>ACTIVE</lei:EntityStatus></lei:Entity>
  <lei:Registration><lei:RegistrationStatus>ISSUED</lei:RegistrationStatus></lei:Registration></lei:LEIRecord>`;

const writeGleif = (
  linkedNumber: string,
) => `<lei:LEIData xmlns:lei="http://www.gleif.org/data/schema/leidata/2016"><lei:LEIRecords>
  ${record(LEI, 'Bäcker &amp; Sons (UK) Limited', 'GB', `<lei:RegistrationAuthorityID>RA000585</lei:RegistrationAuthorityID><lei:RegistrationAuthorityEntityID>${linkedNumber}</lei:RegistrationAuthorityEntityID>`)}
  ${record('004L5FPTUREIWK9T2N63', 'Calypso Fund', 'KY', '<lei:RegistrationAuthorityID>RA999999</lei:RegistrationAuthorityID>')}
  </lei:LEIRecords></lei:LEIData>`;

describeOn(usualEngines, 'an entity in two registers', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importGleif(NUMBER);
  });

  const importGleif = async (linkedNumber: string) => {
    const register = registers.find(({ id }) => id === 'gleif') as Register;
    const path = join(service.database.dataDir, 'lei.xml');
    writeFileSync(path, writeGleif(linkedNumber));
    await importFiles(service.services.registryDb, service.clock, { register, registers, paths: [path] });
    await untilSearchServes(service);
  };
  const find = async (query: string) => {
    const reply = await service.client.get(`/api/v1/entities?${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data as { id: string; countryCode: string; canonicalName: string }[];
  };
  const listEnabled = async () => {
    const { body } = await service.client.get('/api/v1/countries');
    assert.ok(body.data.every(({ code }: { code: string | null }) => typeof code === 'string'));
    return body.data.filter(({ enabled }: { enabled: boolean }) => enabled).map(({ code }: { code: string }) => code);
  };

  const findIds = async (q: string) => (await find(`q=${q}`)).map(({ id }) => id);

  test('they remain two entities, and either number finds both', async () => {
    await importCompanies(service, [company(NUMBER, 'BÄCKER & SONS (UK) LIMITED'), company(OTHER, 'WERNER LIMITED')]);
    assert.deepEqual(await listEnabled(), ['GB', 'KY']);
    const both = await findIds(NUMBER);
    assert.equal(new Set(both).size, 2);
    assert.deepEqual(await findIds(LEI), both);
    assert.deepEqual(await findIds(LEI.slice(3, 15).toLowerCase()), both);
    const records = await Promise.all(
      both.map(async (id) => (await service.client.get(`/api/v1/entities/${id}`)).body.data),
    );
    const registrations = new Map(
      records.map(({ provenance, registrations }) => [
        provenance.register,
        registrations.map(({ type, number }: { type: string; number: string }) => [type, number]),
      ]),
    );
    const [lei, national] = [
      ['lei', LEI],
      ['national', NUMBER],
    ];
    assert.deepEqual(registrations.get('gleif'), [lei, national]);
    // Data of GLEIF is not added to the national record.
    assert.deepEqual(registrations.get('gb'), [national]);
    const linking = records.find(({ provenance }) => provenance.register === 'gleif');
    assert.deepEqual(linking.registry.registrationAuthority, { id: 'RA000585', register: 'gb' });
  });

  const listRelated = async (q: string) => {
    const records = await Promise.all(
      (await find(`q=${q}`)).map(async ({ id }) => (await service.client.get(`/api/v1/entities/${id}`)).body.data),
    );
    return Object.fromEntries(records.map(({ canonicalName, related }) => [canonicalName, related]));
  };

  test('each record names the other as related, as search shows it', async () => {
    const [lei, national] = await find(`q=${LEI}`);
    const related = await listRelated(LEI);
    const relation = 'same_company';
    assert.deepEqual(related[lei?.canonicalName ?? ''], [{ ...national, relation }]);
    assert.deepEqual(related[national?.canonicalName ?? ''], [{ ...lei, relation }]);
    assert.deepEqual(await listRelated(OTHER), { 'WERNER LIMITED': [] });
  });

  test('if GLEIF changes a link, it leads to the other company and not to the first one', async () => {
    const names = (found: { canonicalName: string }[]) => found.map(({ canonicalName }) => canonicalName);
    const changed = 'BÄCKER AND DAUGHTERS LIMITED';
    await importCompanies(service, [company(NUMBER, changed)]);
    assert.deepEqual(names(await find(`q=${LEI}`)), ['Bäcker & Sons (UK) Limited', changed], 'the LEI still finds it');
    await importGleif(` ${Number(OTHER)} `);
    assert.deepEqual(names(await find(`q=${LEI}`)), ['Bäcker & Sons (UK) Limited', 'WERNER LIMITED']);
    assert.deepEqual(names(await find(`q=${NUMBER}`)), [changed]);
    const related = await listRelated(NUMBER);
    assert.deepEqual(related, { [changed]: [] }, 'a former link is gone in both directions');
    assert.equal((await listRelated(OTHER))['WERNER LIMITED'].length, 1);
    await importGleif('99999999');
    assert.deepEqual((await listRelated(LEI))['Bäcker & Sons (UK) Limited'], [], 'a company that is not here');
    assert.deepEqual(names(await find(`q=${LEI}`)), ['Bäcker & Sons (UK) Limited']);
    assert.deepEqual(names(await find(`q=${OTHER}`)), ['WERNER LIMITED']);
  });
});
