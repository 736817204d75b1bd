import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { tools } from '../../src/api/mcp/protocol.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { type Called, call, connect } from './connect.ts';

/** What people ask assistants for, as arguments of each tool, and what the answer says. The companies are those of the samples. */
const SAMPLE_REGISTERS = ['gb', 'fr', 'ee', 'lv', 'no', 'sg', 'gleif'] as const;
const SAMPLE_ROWS = 30;
const CALLS: Readonly<Record<string, readonly (readonly [given: object, answer: RegExp])[]>> = {
  search_companies: [
    [{ q: 'Southern Kestrel Brewing' }, /^1 company matches/],
    [{ country: 'GB', status: 'in_liquidation' }, /^2 companies match/],
    [{ country: 'GB', page: 2 }, /Page 2 of 4/],
    [{ country: 'EE', register: 'ee' }, /^30 companies match/],
    [{ q: 'tahtveski' }, /⟦Tähtveski & Pärn Holding OÜ⟧/],
    [{ q: 'ehitus', country: 'ee' }, /^2 companies match/],
    [{ q: 'LV46057877093' }, /Priede Rudzi auto/],
    [{ q: '987 753 720', country: 'FR' }, /⟦AMANDIER ENERGIE 58⟧/],
    [{ q: 'energie', country: 'FR', status: 'dissolved' }, /AMANDIER ENERGIE 58/],
    [{ q: '984500133651753X7K66' }, /⟦Castell Helvetia Capital GmbH⟧ DE/],
    [{ q: 'zzyzx quux' }, /^No company matches/],
  ],
  match_company: [
    [{ name: 'Southern Kestral Brewing Limited' }, /^match: .*^1\. 0\.\d+ match: ⟦SOUTHERN KESTREL BREWING LTD⟧/ms],
    [
      { name: 'Kestrel Brewing', country: 'GB', city: 'Swansea' },
      /^ambiguous: .*⟦SOUTHERN KESTREL BREWING LTD⟧.*⟦It is in SWANSEA⟧/s,
    ],
    [{ name: 'Amandier Energie', registrationNumber: '987 753 720' }, /^match: .*⟦It has the number 987 753 720⟧/s],
    [{ name: 'Zzyzx Quux Partners' }, /^none: ⟦No company fits/],
  ],
  get_company: [
    [{ id: '2ef7837e-31d2-5809-b174-2fe37edd5b2d' }, /Address: ⟦[^⟧]*SWANSEA/i],
    [{ id: '77abc3f8-6029-5450-bbbc-1031222d49a3', sourceData: true }, /in_liquidation/],
    [{ id: '027becd3-a19f-57e8-ba02-91f041a3c6b5' }, /dissolved/],
    [{ id: 'd3bf84d3-0fcb-5953-a94b-c1c88aa9ed26' }, /Activity: ⟦/],
  ],
  list_countries: [
    [{}, /countries: .*GB.*NO.*SG/],
    [{}, /gb \(GB\): .* as of 2026-09-01/],
    [{}, /gleif \(all countries\): Global LEI Index, 30 companies/],
    [{}, /Planned: .*PL/],
  ],
  recent_changes: [
    [{}, /the register was loaded/],
    [{ since: '2026-01-01', country: 'GB' }, /gb \(GB\): the register was loaded/],
    [{ country: 'NO', type: 'added' }, /^No changes/],
    [{ companyId: '2ef7837e-31d2-5809-b174-2fe37edd5b2d' }, /^No changes/],
  ],
  check_registration_number: [
    [{ number: '11187852', country: 'EE' }, /ee: registry code 11187852: valid/],
    [{ number: '923 609 017', country: 'no' }, /no: .*: invalid check digit/],
    [{ number: '984500133651753X7K66' }, /gleif: LEI 984500133651753X7K66: valid/],
    [{ number: '45274649' }, /cz: IČO 45274649: valid/],
    [{ number: '445790', country: 'GB' }, /gb: company number 00445790: format only/],
    [{ number: 'hello' }, /does not have the form/],
  ],
  verify_provenance: [
    [{ id: '2ef7837e-31d2-5809-b174-2fe37edd5b2d' }, /row \d+, sha256:[0-9a-f]{64}, as of 2026-09-01/],
    [{ id: '027becd3-a19f-57e8-ba02-91f041a3c6b5' }, /source ⟦.+⟧ row \d+/],
    [{ id: 'd3bf84d3-0fcb-5953-a94b-c1c88aa9ed26' }, /licence ⟦/],
  ],
};
const questions = Object.entries(CALLS).flatMap(([tool, calls]) =>
  calls.map(([given, answer]) => ({ tool, given, answer, question: `${tool} ${JSON.stringify(given)}` })),
);

describe('questions that people ask assistants', () => {
  const service = useService('sqlite');
  let client: Client;
  before(async () => {
    await importSyntheticAll(service, SAMPLE_ROWS, SAMPLE_REGISTERS);
    client = await connect(service, await service.createKey());
  });
  after(() => client.close());

  test('every tool answers some of them', () => {
    const names = tools.map(({ name }) => name);
    for (const name of names) assert.ok(questions.filter(({ tool }) => tool === name).length >= 3, name);
  });

  test('arguments and results fit the published and the complete schemas, and the answers are right and name their sources', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const { tools: listed } = await client.listTools();
    const published = new Map(
      listed.map(({ name, inputSchema, outputSchema = {} }) => [
        name,
        { input: ajv.compile(inputSchema as object), output: ajv.compile(outputSchema as object) },
      ]),
    );
    const complete = new Map(tools.map(({ name, output }) => [name, ajv.compile(JSON.parse(JSON.stringify(output)))]));
    for (const { question, tool, given, answer } of questions) {
      const { input, output } = published.get(tool) ?? assert.fail(tool);
      const whole = complete.get(tool) ?? assert.fail(tool);
      assert.ok(input(given), `${question} ${ajv.errorsText(input.errors)}`);
      const { text, data, isError } = await call(client, tool, given);
      assert.equal(isError, false, `${question} ${text}`);
      assert.match(text, answer, question);
      assert.ok(output(data), `${question} ${ajv.errorsText(output.errors)}`);
      assert.ok(whole(data), `${question} ${ajv.errorsText(whole.errors)}`);
      for (const source of sourcesIn(data)) {
        assert.ok(source.file.length > 0 && /^sha256:[0-9a-f]{64}$/.test(source.hash), source.file);
        assert.ok(source.row === null || source.row > 0);
        assert.ok(source.asOf === null || /^\d{4}-\d{2}-\d{2}$/.test(source.asOf));
      }
    }
  });
});

/** The sources of everything in a result that has one. */
function sourcesIn(data: Called['data']) {
  const { companies = [], candidates = [], changes = [], company, source } = data;
  const matched = candidates.map((each: { company: object }) => each.company);
  return [...companies, ...matched, ...changes, company, { source }].flatMap((each) => each?.source ?? []);
}
