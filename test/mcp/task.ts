import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import type { TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type Called, call } from './connect.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

export async function importTask(service: TestService): Promise<void> {
  await importSynthetic(service, 'lv', 20);
  await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
  await importCompanies(service, [company('00000002', 'BETA HOLDINGS LTD')]);
}

/** A task of an assistant: finds, reads and verifies a company. Returns all results, which are the same over every transport. */
export async function doTask(client: Client): Promise<unknown[]> {
  const results: unknown[] = [];
  async function ask(name: string, given: object = {}): Promise<Called> {
    const called = await call(client, name, given);
    results.push([name, given, called]);
    return called;
  }

  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    [
      'search_companies',
      'match_company',
      'get_company',
      'list_countries',
      'recent_changes',
      'check_registration_number',
      'verify_provenance',
    ],
  );

  const countries = await ask('list_countries');
  const gb = countries.data.registers.find(({ id }: { id: string }) => id === 'gb');
  assert.deepEqual([gb.countryCode, gb.companies, gb.files[0].file], ['GB', 2, 'companies.csv']);
  assert.match(gb.files[0].hash, /^sha256:[0-9a-f]{64}$/);

  const checked = await ask('check_registration_number', { number: '1', country: 'gb' });
  const match = checked.data.matches.find(({ register }: { register: string }) => register === 'gb');
  assert.deepEqual([match.number, match.valid], ['00000001', null]);

  const found = await ask('search_companies', { q: match.number, country: 'GB' });
  assert.equal(found.data.total, 1);
  const [alpha] = found.data.companies;
  assert.deepEqual([alpha.id, alpha.canonicalName, alpha.source.row], [ALPHA, 'ALPHA LTD', 2]);
  assert.match(alpha.source.hash, /^sha256:[0-9a-f]{64}$/);
  assert.match(found.text, /⟦ALPHA LTD⟧ GB number ⟦00000001⟧, active/);

  const meant = await ask('match_company', { name: 'Alfa Limited', country: 'gb' });
  assert.equal(meant.data.candidates[0].company.id, ALPHA);
  assert.match(meant.text, /⟦ALPHA LTD⟧ GB number ⟦00000001⟧.*because ⟦/);

  const record = await ask('get_company', { id: alpha.id.toUpperCase(), sourceData: true });
  assert.deepEqual(record.data.company, alpha);
  assert.equal(record.data.sourceData[' CompanyNumber'] ?? record.data.sourceData.CompanyNumber, '00000001');

  const proof = await ask('verify_provenance', { id: ALPHA });
  assert.deepEqual(proof.data.source, alpha.source);
  assert.match(proof.data.command, new RegExp(`${ALPHA}$`));

  const changes = await ask('recent_changes', { since: '2020-01-01', country: 'GB', type: 'changed' });
  assert.deepEqual(
    changes.data.changes.map(({ before, after }: Record<string, { canonicalName: string }>) => [
      before?.canonicalName,
      after?.canonicalName,
    ]),
    [['BETA LTD', 'BETA HOLDINGS LTD']],
  );
  assert.equal(changes.data.changes[0].source.row, 2);
  for (const cursor of ['x', 'MC0wLjA5']) {
    const rejected = await ask('recent_changes', { cursor });
    assert.match(rejected.text, /^invalid_request: The argument "cursor" is not valid/);
  }
  const gone = Buffer.from('999-zzzz.0').toString('base64url');
  assert.match((await ask('recent_changes', { cursor: gone })).text, /^cursor_expired: .*"since"/);
  const history = await ask('recent_changes', { companyId: changes.data.changes[0].companyId });
  assert.equal(history.data.changes[0].type, 'changed');
  return [tools, ...results];
}
