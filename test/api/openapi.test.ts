import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { findBreakingChanges, type OpenApi } from '../../scripts/contract-diff.ts';
import { operations } from '../../src/api/table.ts';
import { errorCodes, statusOf } from '../../src/base/errors.ts';
import type { App } from '../../src/http/app.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import type { Operation } from '../../src/http/route.ts';
import { changedFieldNames } from '../../src/registry/journal/details.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

test('GET /api/v1/openapi.json returns exactly the committed contract', async () => {
  await using service = await startService('sqlite');
  const { status, text } = await service.client.get('/api/v1/openapi.json');
  assert.equal(status, 200);
  assert.equal(text, committed, 'openapi.json is out of date: run "npm run generate:contract" and commit it');
});

test('an independent validator accepts the contract as OpenAPI 3.1', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(committed));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.equal(validator.version, '3.1');
});

test('Redocly finds nothing in the contract with all recommended rules as errors', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: committed, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
});

test('every API route is in the contract, and every operation of the contract has a route', async () => {
  await using service = await startService('sqlite');
  const undescribed = service.app.routes.filter(({ url, operation }) => url.startsWith('/api/') && !operation);
  assert.deepEqual(undescribed, []);
  const paths = JSON.parse(committed).paths as Record<string, object>;
  for (const [path, operations] of Object.entries(paths)) {
    const url = path.replace('{path}', '*').replace(/\{(\w+)\}/g, ':$1');
    for (const method of Object.keys(operations)) {
      assert.ok(service.app.hasRoute(method.toUpperCase(), url), `${method} ${url}`);
    }
  }
});

test('every method that a path does not support is answered 405 as the contract says, with Allow', async () => {
  await using service = await startService('sqlite');
  const paths = JSON.parse(committed).paths as Record<string, object>;
  for (const [template, operations] of Object.entries(paths)) {
    const supported = new Set(Object.keys(operations).map((method) => method.toUpperCase()));
    if (supported.has('GET')) supported.add('HEAD');
    const path = template.replace(/\{\w+\}/g, '00000000-0000-5000-8000-000000000000');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (supported.has(method)) continue;
      const { status, headers } = await service.client.request(method, path);
      assert.equal(status, 405, `${method} ${path}`);
      assert.equal(headers.get('allow'), [...supported].sort().join(', '), `${method} ${path}`);
    }
  }
});

test('every operation declares the statuses that any request can get, and each code under its status', () => {
  type Responses = Record<string, { headers: object; 'x-error-codes'?: string[] }>;
  const paths = JSON.parse(committed).paths as Record<string, Record<string, Operation & { responses: Responses }>>;
  for (const [path, operations] of Object.entries(paths)) {
    for (const { responses } of Object.values(operations)) {
      for (const status of [400, 405, 408, 414, 431, 500])
        assert.ok(responses[status], `${path} does not declare ${status}`);
      assert.ok('Allow' in (responses[405]?.headers ?? {}), path);
      for (const [status, { 'x-error-codes': codes = [] }] of Object.entries(responses)) {
        for (const code of codes) {
          const known = errorCodes.find((candidate) => candidate === code);
          assert.equal(known && statusOf(known), Number(status), `${path} ${status} ${code}`);
        }
      }
    }
  }
});

/** Corrections of what the released contract promised by mistake: `Retry-After` where a retry cannot help. */
const CORRECTIONS = ['checkout', 'portal', 'webhook'].map(
  (name) => `POST /api/v1/billing/${name} 503: header retry-after is no longer always present`,
);

test('the contract has no breaking change since the last release', () => {
  const released = readFileSync(new URL('../../contract/released.json', import.meta.url), 'utf8');
  const changes = findBreakingChanges(JSON.parse(released) as OpenApi, JSON.parse(committed) as OpenApi);
  assert.deepEqual(
    changes.filter((change) => !CORRECTIONS.includes(change)),
    [],
  );
});

/** What adding a route relies on: see "Adding a route" in CONTRIBUTING.md. */

const operation = { operationId: 'trial', tag: 'Public', summary: 'Trial', credential: 'none' } as const;

for (const engine of usualEngines) {
  test(`a public route that reads the database answers 503 on ${engine} until the schema is migrated`, async () => {
    const database = await createDatabase(engine, { empty: true });
    let countAccounts = async () => 0;
    const extend = (app: App) => {
      const count = async (_request: HttpRequest, reply: HttpReply) =>
        reply.header('x-accounts', await countAccounts()).send();
      app.get('/api/v1/trial', count, { operation });
    };
    await using service = await startService(engine, { database, unprepared: true, extend });
    countAccounts = async () =>
      (await service.services.accountsDb.one<{ n: number }>('SELECT count(*) AS n FROM accounts', []))?.n ?? -1;
    const early = await fetch(`${service.url}/api/v1/trial`);
    assert.equal(early.status, 503);
    assert.equal(((await early.json()) as { error: { code: string } }).error.code, 'service_unavailable');
    assert.ok(Number(early.headers.get('retry-after')) >= 1);
    for (const path of ['/api/v1/plans', '/api/v1/openapi.json', '/api/v1/health/live']) {
      assert.equal((await service.client.get(path)).status, 200, path);
    }
    await service.services.migrate();
    await service.services.prepare();
    const late = await fetch(`${service.url}/api/v1/trial`);
    assert.deepEqual([late.status, late.headers.get('x-accounts')], [200, '0']);
  });
}

test('every operation that reads the database declares 503', () => {
  for (const { operationId, isOutsideContract, needsNoData, schema } of operations) {
    const codes = schema.response?.[503]?.['x-error-codes'] ?? [];
    assert.ok(isOutsideContract || needsNoData || codes.includes('service_unavailable'), operationId);
  }
});

test('every path of the contract is requested by a test', () => {
  const root = new URL('../../', import.meta.url);
  const contract: { paths: Record<string, object> } = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'));
  const tests = globSync('test/**/*.ts', { cwd: root }).filter((file) => !/routes\.test\.ts$|dns-rebinding/.test(file));
  const text = tests.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
  for (const path of Object.keys(contract.paths)) {
    const [start = ''] = path.split('{');
    assert.ok(text.includes(start), `test/api/: add a test file with one test for each status of ${path}`);
  }
});

type Schema = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}
interface ContractTruthOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security: readonly Schema[];
  readonly responses: Readonly<Record<string, object>>;
}

const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const paths = contract.paths as Record<string, Record<string, ContractTruthOperation>>;

test('the contract names every field that a change can list', () => {
  const { description } = contract.components.schemas.Change.properties.fields;
  const names = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  for (const name of [...changedFieldNames, 'provenance']) assert.ok(names.includes(name), name);
});

test('every path with GET declares HEAD, with the same parameters, statuses and headers', () => {
  for (const [path, { get, head }] of Object.entries(paths)) {
    if (get === undefined) assert.equal(head, undefined, path);
    else {
      assert.equal(head?.operationId, `${get.operationId}Head`, path);
      assert.deepEqual(head?.parameters, get.parameters, path);
      assert.deepEqual(Object.keys(head?.responses ?? {}), Object.keys(get.responses), path);
    }
  }
});

describe('requests', () => {
  const service = useService('sqlite');
  let session: Record<string, string>;
  let key: string;
  before(async () => {
    session = (await service.signIn()).headers;
    key = await service.findKey();
  });

  /** Neither exists: the answer is 404. */
  const toUrl = (path: string) =>
    path.replace('{generation}', '1').replace(/\{\w+\}/g, '00000000-0000-5000-8000-000000000000');

  /** Operations that do not take an API key get the session. */
  const credentialsOf = ({ security }: ContractTruthOperation) => {
    if (security.length === 0) return {};
    return security.some((scheme) => 'apiKey' in scheme) ? { 'x-api-key': key } : session;
  };

  test('every path with GET answers HEAD with the same status and headers, without a body', async () => {
    for (const [path, { get: operation }] of Object.entries(paths)) {
      if (operation === undefined) continue;
      const headers = { ...credentialsOf(operation), 'accept-encoding': 'identity' };
      const get = await service.client.get(toUrl(path), { headers });
      const head = await service.client.request('HEAD', toUrl(path), { headers });
      assert.deepEqual([head.status, head.text], [get.status, ''], path);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'www-authenticate']) {
        // The error has the id of its request, which has the same length.
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
      }
    }
  });

  const EDGES = '|0|1|-1|2|30|31|100|101|1000|1001|01|1.0|1e2|+1| 1|GB|gb|GBR|all|2024-02-29|2023-02-29|2024-1-1'.split(
    '|',
  );
  const TEXTS = ['a', 'é', '\0', 'a b', 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(4_000), 'x'.repeat(4_001)];
  const ajv = formats.default(new Ajv2020({ strict: false }));
  /** A text can match the pattern and still not be a cursor. A wait would take as long as it says. */
  const LEFT_OUT = ['cursor', 'wait'];

  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    for (const { in: location, name, schema } of get.parameters ?? []) {
      if (location !== 'query' || LEFT_OUT.includes(name)) continue;
      const needed = get.parameters?.filter((each) => each.in === 'query' && each.required) ?? [];
      test(`${get.operationId} accepts the values of ${name} that the contract allows, and no others`, async () => {
        const isAllowed = ajv.compile(schema);
        const isNumber = schema.type === 'integer' || schema.anyOf !== undefined;
        const listed = Array.isArray(schema.enum) ? schema.enum : [];
        for (const text of [...EDGES, ...TEXTS, ...listed]) {
          const value = isNumber && /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
          const url = `${toUrl(path)}?${new URLSearchParams({ ...Object.fromEntries(needed.map((each) => [each.name, 'x'])), [name]: text })}`;
          const reply = await service.client.get(url, {
            headers: { ...credentialsOf(get), accept: 'text/csv, application/json;q=0.5' },
          });
          const where = `${name}=${text.slice(0, 20)} (${text.length}): ${reply.status}`;
          if (isAllowed(value)) assert.ok(reply.status === 200 || reply.status === 404, where);
          else assert.equal(reply.status, 400, where);
        }
      });
    }
  }

  test('page=all checks pageSize and does nothing else with it, as the contract says', async () => {
    const rows = async (query: string) => {
      const { status, text } = await service.client.get(`/api/v1/entities?page=all${query}`, {
        headers: { accept: 'text/csv' },
      });
      return [status, status === 200 ? text : ''];
    };
    assert.deepEqual(await rows('&pageSize=1'), await rows(''));
    assert.equal((await rows('&pageSize=999'))[0], 400);
    const page = paths['/api/v1/entities']?.get?.parameters?.find(({ name }) => name === 'page') as object as {
      description: string;
    };
    assert.match(page.description, /`pageSize` is checked, but has no effect/);
  });
});
