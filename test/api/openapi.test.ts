import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { findBreakingChanges, type OpenApi } from '../../scripts/contract-diff.ts';
import { printContract } from '../../src/commands/openapi.ts';
import { errorCodes, statusOf } from '../../src/core/errors.ts';
import type { Operation } from '../../src/http/contract.ts';
import { startService } from '../harness/service.ts';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

test('GET /api/v1/openapi.json returns exactly the committed contract', async () => {
  await using service = await startService('sqlite');
  const { status, text } = await service.client.get('/api/v1/openapi.json');
  assert.equal(status, 200);
  assert.equal(text, committed, 'openapi.json is out of date: run "npm run generate:contract" and commit it');
  assert.equal(await printContract(), committed);
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
  await using service = await startService('sqlite', {
    extend: (app) => assert.throws(() => app.get('/api/v1/secret', async () => ''), /needs an operation/),
  });
  const paths = JSON.parse(committed).paths as Record<string, object>;
  for (const [path, operations] of Object.entries(paths)) {
    const url = path.replace('{path}', '*').replace(/\{(\w+)\}/g, ':$1');
    for (const method of Object.keys(operations)) {
      assert.ok(service.app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${url}`);
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
