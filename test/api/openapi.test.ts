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

/** Every path of the specification, by the issue that builds it; a finished issue's paths may not be missing. */
const specified: Readonly<Record<string, { method: string; done: boolean }>> = {
  '/api/v1/plans': { method: 'get', done: true },
  '/api/v1/health/live': { method: 'get', done: true },
  '/api/v1/health/ready': { method: 'get', done: true },
  '/api/v1/countries': { method: 'get', done: true },
  '/api/v1/entities': { method: 'get', done: true },
  '/api/v1/entities/{id}': { method: 'get', done: true },
  '/api/v1/account': { method: 'get', done: true },
  '/api/v1/auth/me': { method: 'get', done: true },
  '/api/v1/api-keys': { method: 'get', done: true },
  '/api/v1/api-keys/{id}': { method: 'delete', done: true },
  '/api/v1/billing/checkout': { method: 'post', done: true },
  '/api/v1/billing/portal': { method: 'post', done: true },
  '/api/v1/billing/webhook': { method: 'post', done: true },
};

test('GET /api/v1/openapi.json is the committed contract, letter by letter', async () => {
  await using service = await startService('sqlite');
  const { status, text } = await service.client.get('/api/v1/openapi.json');
  assert.equal(status, 200);
  assert.equal(text, committed, 'openapi.json is out of date: run "npm run contract" and commit it');
  assert.equal(await printContract(), committed);
});

test('the contract is valid OpenAPI 3.1 by an independent validator', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(committed));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.equal(validator.version, '3.1');
});

test('the contract is clean under Redocly, all recommended rules as errors', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: committed, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
});

test('no API route without contract, no route in the contract that is not there', async () => {
  await using service = await startService('sqlite', {
    extend: (app) => assert.throws(() => app.get('/api/v1/secret', async () => ''), /needs an operation/),
  });
  const paths = JSON.parse(committed).paths as Record<string, object>;
  for (const [path, operations] of Object.entries(paths)) {
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    for (const method of Object.keys(operations)) {
      assert.ok(service.app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${url}`);
    }
  }
});

test('no path of the specification is missing once its issue is done', () => {
  const paths = JSON.parse(committed).paths as Record<string, Record<string, unknown>>;
  for (const [path, { method, done }] of Object.entries(specified)) {
    assert.equal(
      paths[path]?.[method] !== undefined,
      done,
      `${method} ${path}: ${done ? 'missing' : 'mark it as done'}`,
    );
  }
});

test('every operation declares what any request can be answered with, and codes under their own status', () => {
  const paths = JSON.parse(committed).paths as Record<
    string,
    Record<string, Operation & { responses: Record<string, { 'x-error-codes'?: string[] }> }>
  >;
  for (const [path, operations] of Object.entries(paths)) {
    for (const { responses } of Object.values(operations)) {
      for (const status of [400, 408, 414, 431, 500])
        assert.ok(responses[status], `${path} does not declare ${status}`);
      for (const [status, { 'x-error-codes': codes = [] }] of Object.entries(responses)) {
        for (const code of codes) {
          const known = errorCodes.find((candidate) => candidate === code);
          assert.equal(known && statusOf(known), Number(status), `${path} ${status} ${code}`);
        }
      }
    }
  }
});

test('the contract breaks nothing that was released', () => {
  const released = readFileSync(new URL('../../contract/released.json', import.meta.url), 'utf8');
  assert.deepEqual(findBreakingChanges(JSON.parse(released) as OpenApi, JSON.parse(committed) as OpenApi), []);
});
