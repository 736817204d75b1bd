import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies, untilSearchServes } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

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

const setups = [
  ...usualEngines.map((engine) => ({ engine, env: {} })),
  { engine: 'postgres', env: { SEARCH_ENGINE: 'postgres' } },
] as const;

for (const { engine, env } of setups) {
  const title = 'SEARCH_ENGINE' in env ? `${engine} with search in the database` : engine;
  describe(`an entity in two registers on ${title}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, { env });
      await importGleif(NUMBER);
    });
    after(() => service?.[Symbol.asyncDispose]());

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

    test('GLEIF enables the countries of its entities, and they are found by country', async () => {
      assert.deepEqual(await listEnabled(), ['GB', 'KY']);
      assert.deepEqual(
        (await find('country=KY')).map(({ canonicalName }) => canonicalName),
        ['Calypso Fund'],
      );
      assert.equal((await find('country=GB')).length, 1);
    });

    test('pages show a register without a country', async () => {
      for (const path of ['/coverage', '/status']) {
        const { status, text } = await service.client.get(path);
        assert.equal(status, 200);
        assert.match(text, /All countries/, path);
        assert.doesNotMatch(text, />(null|undefined)\b/, path);
      }
      assert.equal((await service.client.get('/')).status, 200);
      const { text } = await service.client.get('/explore?country=KY');
      assert.match(text, /Calypso Fund/);
      assert.match(text, />Cayman Islands \(1\)</);
    });

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

    test('a changed national record is still found by the LEI', async () => {
      await importCompanies(service, [company(NUMBER, 'BÄCKER AND DAUGHTERS LIMITED')]);
      assert.deepEqual(
        (await find(`q=${LEI}`)).map(({ canonicalName }) => canonicalName),
        ['Bäcker & Sons (UK) Limited', 'BÄCKER AND DAUGHTERS LIMITED'],
      );
    });

    test('if GLEIF changes a link, it leads to the other company and not to the first one', async () => {
      await importGleif(` ${Number(OTHER)} `);
      const names = (found: { canonicalName: string }[]) => found.map(({ canonicalName }) => canonicalName);
      assert.deepEqual(names(await find(`q=${LEI}`)), ['Bäcker & Sons (UK) Limited', 'WERNER LIMITED']);
      assert.deepEqual(names(await find(`q=${NUMBER}`)), ['BÄCKER AND DAUGHTERS LIMITED']);
      const related = await listRelated(NUMBER);
      assert.deepEqual(related, { 'BÄCKER AND DAUGHTERS LIMITED': [] }, 'a former link is gone in both directions');
      assert.equal((await listRelated(OTHER))['WERNER LIMITED'].length, 1);
      await importGleif('99999999');
      assert.deepEqual((await listRelated(LEI))['Bäcker & Sons (UK) Limited'], [], 'a company that is not here');
      assert.deepEqual(names(await find(`q=${LEI}`)), ['Bäcker & Sons (UK) Limited']);
      assert.deepEqual(names(await find(`q=${OTHER}`)), ['WERNER LIMITED']);
    });
  });
}
