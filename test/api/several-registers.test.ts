import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { importFiles } from '../../src/registry/import.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies, untilSearchServes } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

/** One company, held by its national register and, with an LEI, by GLEIF; and a fund of a country without a register. */
const NUMBER = '00445790';
const LEI = '001GPB6A9XPE8XJICC14';

const record = (lei: string, name: string, jurisdiction: string, authority: string) => `<lei:LEIRecord>
  <lei:LEI>${lei}</lei:LEI><lei:Entity><lei:LegalName>${name}</lei:LegalName><lei:RegistrationAuthority>${authority}</lei:RegistrationAuthority>
  <lei:LegalJurisdiction>${jurisdiction}</lei:LegalJurisdiction><lei:EntityStatus>ACTIVE</lei:EntityStatus></lei:Entity>
  <lei:Registration><lei:RegistrationStatus>ISSUED</lei:RegistrationStatus></lei:Registration></lei:LEIRecord>`;

const GLEIF = `<lei:LEIData xmlns:lei="http://www.gleif.org/data/schema/leidata/2016"><lei:LEIRecords>
  ${record(LEI, 'Bäcker &amp; Sons (UK) Limited', 'GB', `<lei:RegistrationAuthorityID>RA000585</lei:RegistrationAuthorityID><lei:RegistrationAuthorityEntityID>${NUMBER}</lei:RegistrationAuthorityEntityID>`)}
  ${record('004L5FPTUREIWK9T2N63', 'Calypso Fund', 'KY', '<lei:RegistrationAuthorityID>RA999999</lei:RegistrationAuthorityID>')}
  </lei:LEIRecords></lei:LEIData>`;

for (const engine of engines) {
  describe(`an entity in two registers on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      const register = registers.find(({ id }) => id === 'gleif') as Register;
      const path = join(service.database.dataDir, 'lei.xml');
      writeFileSync(path, GLEIF);
      await importFiles(service.services.registryDb, service.clock, { register, registers, paths: [path] });
      await untilSearchServes(service);
    });
    after(() => service?.[Symbol.asyncDispose]());

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

    test('GLEIF enables no country, but its entities are found, also by their country', async () => {
      assert.deepEqual(await listEnabled(), []);
      assert.deepEqual(
        (await find('country=KY')).map(({ canonicalName }) => canonicalName),
        ['Calypso Fund'],
      );
      assert.equal((await find('country=GB')).length, 1);
    });

    test('pages show a register that has no country', async () => {
      for (const path of ['/coverage', '/status']) {
        const { status, text } = await service.client.get(path);
        assert.equal(status, 200);
        assert.match(text, /All countries/, path);
        assert.doesNotMatch(text, />(null|undefined)\b/, path);
      }
      assert.equal((await service.client.get('/')).status, 200);
      assert.match((await service.client.get('/explore?country=KY')).text, /Calypso Fund/);
    });

    test('the two stay two entities: the national number finds both, the LEI the one that links to the other', async () => {
      await importCompanies(service, [company(NUMBER, 'BÄCKER & SONS (UK) LIMITED')]);
      assert.deepEqual(await listEnabled(), ['GB']);
      const both = await find(`q=${NUMBER}`);
      assert.deepEqual(
        both.map(({ countryCode }) => countryCode),
        ['GB', 'GB'],
      );
      assert.equal(new Set(both.map(({ id }) => id)).size, 2);
      const [linked, ...others] = await find(`q=${LEI}`);
      assert.deepEqual([linked?.canonicalName, others], ['Bäcker & Sons (UK) Limited', []]);
      const { body } = await service.client.get(`/api/v1/entities/${linked?.id}`);
      const numbers = body.data.registrations.map(({ type, number }: { type: string; number: string }) => [
        type,
        number,
      ]);
      assert.deepEqual(numbers, [
        ['lei', LEI],
        ['national', NUMBER],
      ]);
      assert.deepEqual(body.data.registry.registrationAuthority, { id: 'RA000585', number: NUMBER, register: 'gb' });
      assert.equal(body.data.provenance.register, 'gleif');
    });
  });
}
