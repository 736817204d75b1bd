import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findBreakingChanges } from '../../scripts/contract-diff.ts';
import { baseContract, ref } from './base-contract.ts';
import { allows, plan, plans, rejects, reversed } from './edits.ts';

describe('paths, operations and responses', () => {
  allows('the same contract', {});
  allows('a new path', { 'paths /new': { get: { responses: { 200: {} } } } });
  allows('a new operation', { 'paths /plans post': { requestBody: { required: true }, responses: { 200: {} } } });
  allows('a new status', { [`${plans} responses 503`]: {} });
  allows('a new media type', { [`${plans} responses 200 content text/html`]: { schema: { type: 'string' } } });
  allows('a new header', { [`${plans} responses 200 headers X-New`]: { schema: { type: 'string' } } });
  allows('a header name in another case', {
    [`${plans} responses 200 headers X-Region`]: undefined,
    [`${plans} responses 200 headers x-region`]: { schema: { type: 'string' } },
  });
  allows('a new error code', { 'components responses NotFound x-error-codes 2': 'plan_hidden' });

  rejects('a removed path', { 'paths /plans': undefined }, ['/plans: path was removed']);
  rejects('a removed operation', { 'paths /plans delete': undefined }, ['DELETE /plans: operation was removed']);
  rejects('a removed status', { [`${plans} responses 404`]: undefined }, ['GET /plans 404: status was removed']);
  rejects('a removed media type', { [`${plans} responses 200 content text/csv`]: undefined }, [
    'GET /plans 200: media type text/csv was removed',
  ]);
  rejects('a changed type in another media type', { [`${plans} responses 200 content text/csv schema type`]: 'null' }, [
    'GET /plans 200 text/csv: type of body changed from string to null',
  ]);
  rejects('a removed header', { [`${plans} responses 200 headers X-Request-ID`]: undefined }, [
    'GET /plans 200: header x-request-id was removed',
  ]);
  rejects('a header that may be missing now', { 'components headers RequestId required': false }, [
    'GET /plans 200: header x-request-id is no longer always present',
  ]);
  rejects('a header of another type', { 'components headers RequestId schema': { type: 'integer' } }, [
    'GET /plans 200: type of header x-request-id changed from string to integer',
  ]);
  rejects('a removed error code', { 'components responses NotFound x-error-codes': ['plan_retired'] }, [
    'GET /plans 404: error code plan_not_found was removed',
  ]);
});

describe('fields of responses', () => {
  allows('a new optional field', { [`${plan} properties added`]: { type: 'string' } });
  allows('a new nullable field', { [`${plan} properties added`]: { type: ['string', 'null'] } });
  allows('a new field that is always present', {
    [`${plan} properties added`]: { type: 'string' },
    [`${plan} required 3`]: 'added',
  });
  allows('an optional field that is always present now', { [`${plan} required 3`]: 'since' });
  allows('a value that is no longer used', { [`${plan} properties id enum`]: ['pro'] });
  allows('a changed description, summary and example', {
    [`${plan} properties name description`]: 'Changed.',
    [`${plan} properties name example`]: 'Pro',
    [`${plans} summary`]: 'Changed.',
  });
  allows('a response that excludes unlisted fields', {
    [`${plan} additionalProperties`]: false,
  });
  allows('a nullable type rewritten as anyOf', {
    [`${plan} properties note`]: { anyOf: [{ type: 'null' }, { type: 'string' }] },
  });
  allows('an enum rewritten as anyOf', {
    [`${plan} properties id`]: { anyOf: [{ const: 'pro', description: 'Best.' }, { const: 'free' }] },
  });
  allows('a schema rewritten as allOf', {
    'components schemas Person': { allOf: [{ type: 'object' }, baseContract().components?.schemas?.Person] },
  });
  test('allows reordered keys', () =>
    assert.deepEqual(findBreakingChanges(baseContract(), reversed(baseContract())), []));

  rejects('a removed field', { [`${plan} properties since`]: undefined }, [
    'GET /plans 200: field data[].since was removed',
  ]);
  rejects(
    'a removed field that was always present',
    { [`${plan} properties name`]: undefined, [`${plan} required`]: ['id', 'price'] },
    ['GET /plans 200: field data[].name was removed'],
  );
  rejects('a removed field in a map', { 'components schemas Limit properties perMonth': undefined }, [
    'GET /plans 200: field data[].limits.*.perMonth was removed',
  ]);
  rejects('a removed field in allOf', { 'components schemas Entity allOf 1 properties registry': undefined }, [
    'GET /entities 200: field registry was removed',
  ]);
  rejects('a removed field in anyOf', { 'components schemas Company properties number': undefined }, [
    'GET /entities 200: field owner.number was removed',
  ]);
  rejects(
    'a removed field in oneOf',
    { [`${plan} properties x oneOf 0 properties a`]: undefined },
    ['GET /plans 200: field data[].x.a was removed'],
    { [`${plan} properties x`]: { oneOf: [{ type: 'object', properties: { a: {}, b: {} } }] } },
  );
  rejects('a removed alternative', { 'components schemas Entity allOf 1 properties owner anyOf 1': { type: 'null' } }, [
    'GET /entities 200: type of field owner changed from object or object 2 or null to object or null or null 2',
  ]);
  rejects('a new alternative', { 'components schemas Entity allOf 1 properties owner anyOf 3': ref('Tree') }, [
    'GET /entities 200: type of field owner changed from object or object 2 or null to object or object 2 or null or object 3',
  ]);
  rejects(
    'unlisted fields that are no longer sent',
    { 'components schemas Entity allOf 1 properties registry additionalProperties': false },
    ['GET /entities 200: field registry no longer has other fields'],
  );
  rejects('a field that may be missing now', { [`${plan} required`]: ['id', 'price'] }, [
    'GET /plans 200: field data[].name is no longer always present',
  ]);
  rejects('another type', { [`${plan} properties price type`]: 'string' }, [
    'GET /plans 200: type of field data[].price changed from number to string',
  ]);
  rejects('a field that may be null now', { [`${plan} properties name type`]: ['string', 'null'] }, [
    'GET /plans 200: type of field data[].name changed from string to string or null',
  ]);
  rejects('a field that is never null now', { [`${plan} properties note type`]: 'string' }, [
    'GET /plans 200: type of field data[].note changed from string or null to string',
  ]);
  rejects('another format', { [`${plan} properties since format`]: 'date-time' }, [
    'GET /plans 200: format of field data[].since changed from date to date-time',
  ]);
  rejects('a removed format', { [`${plan} properties since format`]: undefined }, [
    'GET /plans 200: format of field data[].since changed from date to none',
  ]);
  rejects('a new value', { [`${plan} properties id enum 2`]: 'gold' }, [
    'GET /plans 200: field data[].id may now be "gold"',
  ]);
  rejects('a removed list of values', { [`${plan} properties id enum`]: undefined }, [
    'GET /plans 200: field data[].id is no longer limited to "free", "pro"',
  ]);
  rejects('another constant', { [`${plan} properties stage const`]: 'beta' }, [
    'GET /plans 200: field data[].stage may now be "beta"',
  ]);
  rejects('a constant of another type', { [`${plan} properties stage const`]: 1 }, [
    'GET /plans 200: type of field data[].stage changed from string to integer',
  ]);
  allows('a new error code of a field', { [`${plan} properties name x-error-codes`]: ['new'] });
  rejects(
    'a removed error code of a field',
    { [`${plan} properties name x-error-codes`]: ['b'] },
    ['GET /plans 200: error code a was removed'],
    { [`${plan} properties name x-error-codes`]: ['a', 'b'] },
  );
  rejects('a removed field of a recursive schema', { 'components schemas Tree properties label': undefined }, [
    'POST /keys 201: field label was removed',
  ]);
});
