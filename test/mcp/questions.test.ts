import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createTools } from '../../src/mcp/tools.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { call, connect } from './connect.ts';

/**
 * Questions that people ask assistants, with the tool and arguments that answer them, and what the answer says. The companies are
 * those of the samples with 30 rows.
 */
interface Question {
  readonly question: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** In the text of the result. */
  readonly answer: RegExp;
}

/** The registers that the questions are about. */
const SAMPLE_REGISTERS = ['gb', 'fr', 'ee', 'lv', 'no', 'sg', 'gleif'] as const;
const SAMPLE_ROWS = 30;

const BREWING = '2ef7837e-31d2-5809-b174-2fe37edd5b2d';
const BUILDERS = '77abc3f8-6029-5450-bbbc-1031222d49a3';
const ENERGIE = '027becd3-a19f-57e8-ba02-91f041a3c6b5';
const ESTATE = 'd3bf84d3-0fcb-5953-a94b-c1c88aa9ed26';
const LEI = '984500133651753X7K66';

function search(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'search_companies', given, answer };
}

function match(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'match_company', given, answer };
}

function read(question: string, id: string, answer: RegExp, more: Question['given'] = {}): Question {
  return { question, tool: 'get_company', given: { id, ...more }, answer };
}

function changes(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'recent_changes', given, answer };
}

function check(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'check_registration_number', given, answer };
}

function verify(question: string, id: string, answer: RegExp): Question {
  return { question, tool: 'verify_provenance', given: { id }, answer };
}

function countries(question: string, answer: RegExp): Question {
  return { question, tool: 'list_countries', given: {}, answer };
}

const questions: readonly Question[] = [
  search(
    'Is there a company called Southern Kestrel Brewing?',
    { q: 'Southern Kestrel Brewing' },
    /^1 company matches/,
  ),
  search(
    'Which British companies are in liquidation?',
    { country: 'GB', status: 'in_liquidation' },
    /^2 companies match/,
  ),
  search('Show the second page of British companies.', { country: 'GB', page: 2 }, /Page 2 of 4/),
  search('How many of them come from the Estonian register?', { country: 'EE', register: 'ee' }, /^30 companies match/),
  search(
    'I can only type tahtveski parn without accents: find Tahtveski.',
    { q: 'tahtveski' },
    /⟦Tähtveski & Pärn Holding OÜ⟧/,
  ),
  search('Which Estonian companies do construction (ehitus)?', { q: 'ehitus', country: 'ee' }, /^2 companies match/),
  search('Which company has the VAT number LV46057877093?', { q: 'LV46057877093' }, /Priede Rudzi auto/),
  search('Who is SIREN 987 753 720?', { q: '987 753 720', country: 'FR' }, /⟦AMANDIER ENERGIE 58⟧/),
  search(
    'Which French energy companies were dissolved?',
    { q: 'energie', country: 'FR', status: 'dissolved' },
    /AMANDIER ENERGIE 58/,
  ),
  search(`Who owns the LEI ${LEI}?`, { q: LEI }, /⟦Castell Helvetia Capital GmbH⟧ DE/),
  search('Is there a company named Zzyzx Quux?', { q: 'zzyzx quux' }, /^No company matches/),
  match(
    'An invoice is from "Southern Kestral Brewing Limited". Who is that?',
    { name: 'Southern Kestral Brewing Limited' },
    /^match: .*^1\. 0\.\d+ match: ⟦SOUTHERN KESTREL BREWING LTD⟧/ms,
  ),
  match(
    'Which Kestrel brewery is in Swansea?',
    { name: 'Kestrel Brewing', country: 'GB', city: 'Swansea' },
    /^ambiguous: .*⟦SOUTHERN KESTREL BREWING LTD⟧.*⟦It is in SWANSEA⟧/s,
  ),
  match(
    'Is "Amandier Energie", SIREN 987 753 720, the company I mean?',
    { name: 'Amandier Energie', registrationNumber: '987 753 720' },
    /^match: .*⟦It has the number 987 753 720⟧/s,
  ),
  match('Which company is "Zzyzx Quux Partners"?', { name: 'Zzyzx Quux Partners' }, /^none: ⟦No company fits/),
  read('Where is Southern Kestrel Brewing registered?', BREWING, /Address: ⟦[^⟧]*SWANSEA/i),
  read('What does the register itself say about Emerald Eagle Builders?', BUILDERS, /in_liquidation/, {
    sourceData: true,
  }),
  read('Is Amandier Energie still in business?', ENERGIE, /dissolved/),
  read('What does Innstad Data Næss do?', ESTATE, /Activity: ⟦/),
  countries('Which countries can you search?', /countries: .*GB.*NO.*SG/),
  countries('How current is the British data?', /gb \(GB\): .* as of 2026-09-01/),
  countries(
    'Which registers do you use, and are they complete?',
    /gleif \(all countries\): Global LEI Index, 30 companies/,
  ),
  countries('Is Poland planned?', /Planned: .*PL/),
  changes('What changed recently?', {}, /the register was loaded/),
  changes(
    'What changed in the UK since January?',
    { since: '2026-01-01', country: 'GB' },
    /gb \(GB\): the register was loaded/,
  ),
  changes('Which companies were added in Norway this month?', { country: 'NO', type: 'added' }, /^No changes/),
  changes('Has anything changed about Southern Kestrel Brewing?', { companyId: BREWING }, /^No changes/),
  check(
    'Is 11187852 a valid Estonian registry code?',
    { number: '11187852', country: 'EE' },
    /ee: registry code 11187852: valid/,
  ),
  check(
    'Is 923 609 017 a valid Norwegian number?',
    { number: '923 609 017', country: 'no' },
    /no: .*: invalid check digit/,
  ),
  check(`Is ${LEI} a valid LEI?`, { number: LEI }, /gleif: LEI 984500133651753X7K66: valid/),
  check('Which country could 45274649 belong to?', { number: '45274649' }, /cz: IČO 45274649: valid/),
  check(
    'Is 445790 a UK company number?',
    { number: '445790', country: 'GB' },
    /gb: company number 00445790: format only/,
  ),
  check('Can "hello" be a company number?', { number: 'hello' }, /does not have the form/),
  verify(
    'How do you know that about Southern Kestrel Brewing?',
    BREWING,
    /row \d+, sha256:[0-9a-f]{64}, as of 2026-09-01/,
  ),
  verify('Which file does the Amandier Energie record come from?', ENERGIE, /source ⟦.+⟧ row \d+/),
  verify('Under which licence is the Innstad Data Næss record published?', ESTATE, /licence ⟦/),
];

describe('questions that people ask assistants', () => {
  let service: TestService;
  let client: Client;
  before(async () => {
    service = await startService('sqlite');
    await importSyntheticAll(service, SAMPLE_ROWS, SAMPLE_REGISTERS);
    client = await connect(service, await service.createKey());
  });
  after(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
  });

  test('every tool answers some of them', () => {
    const names = createTools(service.services).map(({ name }) => name);
    for (const name of names) assert.ok(questions.filter(({ tool }) => tool === name).length >= 3, name);
  });

  test('arguments and results fit the published and the complete schemas, and the answers are right', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const { tools } = await client.listTools();
    const published = new Map(
      tools.map(({ name, inputSchema, outputSchema = {} }) => [
        name,
        { input: ajv.compile(inputSchema as object), output: ajv.compile(outputSchema as object) },
      ]),
    );
    const complete = new Map(
      createTools(service.services).map(({ name, output }) => [name, ajv.compile(JSON.parse(JSON.stringify(output)))]),
    );
    for (const { question, tool, given, answer } of questions) {
      const { input, output } = published.get(tool) ?? assert.fail(tool);
      const whole = complete.get(tool) ?? assert.fail(tool);
      assert.ok(input(given), `${question} ${ajv.errorsText(input.errors)}`);
      const { text, data, isError } = await call(client, tool, given);
      assert.equal(isError, false, `${question} ${text}`);
      assert.match(text, answer, question);
      assert.ok(output(data), `${question} ${ajv.errorsText(output.errors)}`);
      assert.ok(whole(data), `${question} ${ajv.errorsText(whole.errors)}`);
    }
  });

  test('every company in a result has its file, hash, row and day', async () => {
    for (const { tool, given } of questions) {
      const { data } = await call(client, tool, given);
      const sources = [
        ...(data.companies ?? []).map(({ source }: { source: unknown }) => source),
        ...(data.candidates ?? []).map(({ company }: { company: { source: unknown } }) => company.source),
        ...(data.changes ?? []).map(({ source }: { source: unknown }) => source),
        ...(data.company === undefined ? [] : [data.company.source]),
        ...(tool === 'verify_provenance' ? [data.source] : []),
      ];
      for (const { file, hash, row, asOf } of sources) {
        assert.ok(file.length > 0 && /^sha256:[0-9a-f]{64}$/.test(hash), file);
        assert.ok(row === null || row > 0);
        assert.ok(asOf === null || /^\d{4}-\d{2}-\d{2}$/.test(asOf));
      }
    }
  });
});
