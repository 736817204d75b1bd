import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findBreakingChanges } from '../scripts/contract-diff.ts';

/** Each test changes a copy. The types of OpenAPI would only be in the way. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Contract = any;

const contract: Contract = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const PLANS = '/api/v1/plans';

function compare(change: (contract: Contract) => void): string[] {
  const current: Contract = structuredClone(contract);
  change(current);
  return findBreakingChanges(contract, current);
}

test('additions to the contract are allowed, and what clients rely on is not taken away', () => {
  const { schemas } = contract.components;
  assert.deepEqual(
    compare(({ paths, components }) => {
      paths['/new'] = paths[PLANS];
      components.schemas.ApiPlan.properties.added = { type: 'string' };
      paths[PLANS].get.responses[599] = {};
    }),
    [],
  );
  const breaking: Readonly<Record<string, (contract: Contract) => unknown>> = {
    [`${PLANS}: path was removed`]: ({ paths }) => Reflect.deleteProperty(paths, PLANS),
    'status was removed': ({ paths }) => Reflect.deleteProperty(paths[PLANS].get.responses, '200'),
    'is no longer always present': ({ components }) => components.schemas.ApiPlan.required.pop(),
    'may now be "gold"': ({ components }) => components.schemas.ApiPlan.properties.id.enum.push('gold'),
    'was removed': ({ paths }) => paths['/api/v1/entities'].get.parameters.pop(),
  };
  assert.ok(schemas.ApiPlan.required.length > 0);
  for (const [message, change] of Object.entries(breaking)) {
    const found = compare(change);
    assert.ok(found.length > 0 && found.every((text) => text.includes(message)), `${message}: ${found.join('\n')}`);
  }
});
