import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorClasses } from '../../clients/typescript/src/generated/errors.ts';
import { operations } from '../../clients/typescript/src/generated/operations.ts';
import * as library from '../../clients/typescript/src/index.ts';
import { listErrors, listOperations } from '../../scripts/client/contract.ts';
import { readContract, renderClient } from '../../scripts/generate-client.ts';

const root = new URL('../../', import.meta.url);
const contract = readContract();

test('the generated files of the client are those of the contract', () => {
  for (const [path, text] of renderClient(contract)) {
    const isCurrent = readFileSync(new URL(path, root), 'utf8') === text;
    assert.ok(isCurrent, `${path} does not fit openapi.json: run "npm run generate:client"`);
  }
});

test('the client has every operation for callers, with its documentation', () => {
  const expected = listOperations(contract);
  assert.ok(expected.length >= 26);
  assert.deepEqual(
    Object.keys(operations),
    expected.map(({ operationId }) => operationId),
  );
  const client = library.createClient({ url: 'http://127.0.0.1:1' });
  const source = readFileSync(new URL('clients/typescript/src/generated/operations.ts', root), 'utf8');
  const text = source.replaceAll(/\s*\n\s*\*/g, ' ').replaceAll(/\s+/g, ' ');
  for (const { operationId, summary, description = '' } of expected) {
    assert.equal(typeof Reflect.get(client, operationId), 'function', operationId);
    assert.ok(
      text.includes(`${summary}. ${description}`.replaceAll(/\s+/g, ' ').trim()),
      `${operationId} has no documentation`,
    );
  }
});

test('every error code of the contract has a class that the library exports', () => {
  const codes = listErrors(contract).map(({ code }) => code);
  assert.ok(codes.length >= 24);
  assert.deepEqual(Object.keys(errorClasses).sort(), codes.sort());
  const exported = new Set<unknown>(Object.values(library));
  for (const [code, found] of Object.entries(errorClasses)) {
    assert.ok(exported.has(found), code);
    assert.ok(found.prototype instanceof library.ApiError, code);
  }
  assert.equal(new Set(Object.values(errorClasses)).size, codes.length);
});
