import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { operations as clientOperations } from '../../clients/typescript/src/generated/operations.ts';
import { REFERENCE } from '../../src/web/docs/library.ts';
import {
  type ApiContract,
  findSuccess,
  listErrors,
  listOperations,
  type Schema,
} from '../../src/web/reference/contract.ts';
import { exampleOf } from '../../src/web/reference/examples.ts';
import { describeLimits, listFields } from '../../src/web/reference/fields.ts';
import { OPERATION_GROUPS, operationAddress } from '../../src/web/reference/groups.ts';
import { makeExample, writeCurl, writePython, writeTypeScript } from '../../src/web/reference/requests.ts';
import { pageOpener } from '../harness/pages.ts';
import { startService } from '../harness/service.ts';

const contract: ApiContract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const operations = listOperations(contract);

describe('the API reference', () => {
  test('has every operation that users call, with parameters, fields and errors, and not the webhook of payments', async () => {
    await using service = await startService('sqlite');
    const open = pageOpener(service);
    const overview = await open(REFERENCE.address);
    const groups = await Promise.all(OPERATION_GROUPS.map(({ address }) => open(address)));
    const all = Object.values(contract.paths).flatMap(({ head: _, ...methods }) => Object.values(methods));
    assert.equal(operations.length, all.length - 1);
    for (const operation of operations) {
      const { operationId, summary, path, parameters = [] } = operation;
      const address = operationAddress(operation);
      assert.ok(
        overview.html.includes(`<a id="${operationId}" href="${address}">`),
        `${operationId} is not in the overview`,
      );
      const pages = groups.filter(({ html }) => html.includes(`<h2 id="${operationId}"`));
      assert.deepEqual(pages, [groups[OPERATION_GROUPS.findIndex((group) => address.startsWith(`${group.address}#`))]]);
      const page = pages[0]?.html ?? '';
      const [section = ''] = new RegExp(`<h2 id="${operationId}".*?</section>`, 's').exec(page) ?? [];
      assert.ok(section.includes(summary) && section.includes(path), `${operationId} is missing`);
      for (const { name } of parameters) assert.ok(section.includes(`<code>${name}</code>`), `${operationId}: ${name}`);
      const schema = findSuccess(operation).response.content?.['application/json'].schema;
      for (const { path: field } of schema === undefined ? [] : listFields(schema, contract)) {
        assert.ok(section.includes(`<code>${field}</code>`), `${operationId}: ${field}`);
      }
      for (const { code } of listErrors(operation)) {
        assert.ok((section + overview.html).includes(`href="/docs/errors/${code}"`), code);
      }
    }
    for (const { html, text } of [overview, ...groups]) {
      assert.doesNotMatch(html, /billing\/webhook|receivePaymentEvent|invalid_signature|Payment-Signature/);
      assert.ok(text.includes(service.url), 'examples have another address');
    }
  });

  test('examples of bodies match the contract', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'contract', components: contract.components });
    for (const operation of operations) {
      const bodies = [operation.requestBody, findSuccess(operation).response].map(
        (body) => body?.content?.['application/json'].schema,
      );
      for (const schema of bodies.filter((body) => body !== undefined)) {
        const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
        const example = exampleOf(schema, contract);
        assert.ok(ajv.validate(local, example), `${operation.operationId}: ${ajv.errorsText()}`);
        assert.doesNotMatch(
          JSON.stringify(example),
          /[:[]"text"/,
          `${operation.operationId}: a field needs an example`,
        );
      }
    }
  });

  test('commands have the credentials, the body and a valid address', () => {
    const write = (id: string) => {
      const operation = operations.find(({ operationId }) => operationId === id) ?? assert.fail(id);
      return writeCurl(makeExample(operation, contract), 'https://x');
    };
    assert.equal(
      write('searchEntities'),
      `curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  'https://x/api/v1/entities?q=alpha&country=GB'`,
    );
    assert.match(write('createApiKey'), /^curl -X POST .*Bearer \$SESSION_TOKEN.*-d '\{"name":"production"\}'/s);
    assert.match(write('getEntity'), /\/entities\/[0-9a-f-]{36}'$/);
    assert.equal(write('listPlans'), "curl 'https://x/api/v1/plans'");
  });

  test('the same request is shown for curl, the client and Python; the example finds what the response shows', () => {
    const search = operations.find(({ operationId }) => operationId === 'searchEntities') ?? assert.fail();
    const request = makeExample(search, contract);
    const [company] = (
      exampleOf(findSuccess(search).response.content?.['application/json'].schema ?? {}, contract) as {
        data: { canonicalName: string }[];
      }
    ).data;
    assert.ok(company?.canonicalName.toLowerCase().includes(String(request.query.q)));
    assert.match(
      writeTypeScript(request, 'https://x'),
      /url: 'https:\/\/x',\n {2}key: process\.env\.FIRMAMENT_KEY.*client\.searchEntities\(\{\n {2}q: "alpha"/s,
    );
    assert.match(
      writePython(request, 'https://x'),
      /requests\.get\(\n {4}"https:\/\/x\/api\/v1\/entities",\n {4}params=\{"q":"alpha","country":"GB"\}.*"X-API-Key": os\.environ\["FIRMAMENT_KEY"\]/s,
    );
    const change = operations.find(({ operationId }) => operationId === 'changeMonitorEntities') ?? assert.fail();
    assert.match(
      writeTypeScript(makeExample(change, contract), 'https://x'),
      /client\.changeMonitorEntities\(\{\n {2}id: "[0-9a-f-]{36}",\n {2}body: \{/,
    );
    for (const operation of operations) {
      const example = makeExample(operation, contract);
      for (const write of [writeCurl, writeTypeScript, writePython])
        assert.doesNotMatch(write(example, 'https://x'), /undefined|\{\w+\}/);
      const isMethod = Object.hasOwn(clientOperations, operation.operationId);
      assert.ok(isMethod, `the client has no ${operation.operationId}`);
    }
  });

  test('limits of parameters are written in words', () => {
    const limits = (schema: Schema) => describeLimits(schema).join(' ');
    assert.equal(limits({ minimum: 1, maximum: 100, default: 25 }), '1 to 100. Default: `25`.');
    assert.equal(limits({ minimum: 1 }), 'At least 1.');
    assert.equal(limits({ enum: ['a', 'b'] }), 'One of `a`, `b`.');
    assert.equal(limits({ minLength: 2, maxLength: 2 }), '');
    assert.equal(limits({ maxLength: 200 }), 'At most 200 characters.');
  });
});
