import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { call, connect, revisions } from './connect.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

for (const engine of engines) {
  describe(`a task of an assistant on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importSynthetic(service, 'lv', 20);
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
      await importCompanies(service, [company('00000002', 'BETA HOLDINGS LTD')]);
    });
    after(() => service[Symbol.asyncDispose]());

    for (const revision of revisions) {
      test(`finds, reads and verifies a company with the official client (${JSON.stringify(revision)})`, async () => {
        await using client = await connect(service, await service.createKey(), revision);
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          [
            'search_companies',
            'get_company',
            'list_countries',
            'recent_changes',
            'check_registration_number',
            'verify_provenance',
          ],
        );

        const countries = await call(client, 'list_countries');
        const gb = countries.data.registers.find(({ id }: { id: string }) => id === 'gb');
        assert.deepEqual([gb.countryCode, gb.companies, gb.files[0].file], ['GB', 2, 'companies.csv']);
        assert.match(gb.files[0].hash, /^sha256:[0-9a-f]{64}$/);

        const checked = await call(client, 'check_registration_number', { number: '1', country: 'gb' });
        const match = checked.data.matches.find(({ register }: { register: string }) => register === 'gb');
        assert.deepEqual([match.number, match.valid], ['00000001', null]);

        const found = await call(client, 'search_companies', { q: match.number, country: 'GB' });
        assert.equal(found.data.total, 1);
        const [alpha] = found.data.companies;
        assert.deepEqual([alpha.id, alpha.canonicalName, alpha.source.row], [ALPHA, 'ALPHA LTD', 2]);
        assert.match(alpha.source.hash, /^sha256:[0-9a-f]{64}$/);
        assert.match(found.text, /⟦ALPHA LTD⟧ GB number ⟦00000001⟧, active/);

        const record = await call(client, 'get_company', { id: alpha.id.toUpperCase(), sourceData: true });
        assert.deepEqual(record.data.company, alpha);
        assert.equal(record.data.sourceData[' CompanyNumber'] ?? record.data.sourceData.CompanyNumber, '00000001');

        const proof = await call(client, 'verify_provenance', { id: ALPHA });
        assert.deepEqual(proof.data.source, alpha.source);
        assert.match(proof.data.command, new RegExp(`${ALPHA}$`));

        const changes = await call(client, 'recent_changes', { since: '2020-01-01', country: 'GB', type: 'changed' });
        assert.deepEqual(
          changes.data.changes.map(({ before, after }: Record<string, { canonicalName: string }>) => [
            before?.canonicalName,
            after?.canonicalName,
          ]),
          [['BETA LTD', 'BETA HOLDINGS LTD']],
        );
        assert.equal(changes.data.changes[0].source.row, 2);
        for (const cursor of ['x', 'MC0wLjA5']) {
          const rejected = await call(client, 'recent_changes', { cursor });
          assert.match(rejected.text, /^invalid_request: The argument "cursor" is not valid/);
        }
        const gone = Buffer.from('999-zzzz.0').toString('base64url');
        assert.match((await call(client, 'recent_changes', { cursor: gone })).text, /^cursor_expired: .*"since"/);
        const history = await call(client, 'recent_changes', { companyId: changes.data.changes[0].companyId });
        assert.equal(history.data.changes[0].type, 'changed');
      });
    }
  });
}
