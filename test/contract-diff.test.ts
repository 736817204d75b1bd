// Each test edits a base contract and lists the expected breaking changes. An edit maps a path of keys to a new value;
// `undefined` removes the key.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findBreakingChanges, type OpenApi } from '../scripts/contract-diff.ts';
import type { Schema } from '../scripts/contract-document.ts';

type Edits = Readonly<Record<string, unknown>>;

const json = (schema: Schema) => ({ 'application/json': { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function baseContract(): OpenApi {
  return {
    security: [],
    paths: {
      '/plans': {
        get: {
          responses: {
            200: {
              content: {
                ...json({
                  type: 'object',
                  required: ['data'],
                  properties: { data: { type: 'array', items: ref('Plan') } },
                }),
                'text/csv': { schema: { type: 'string' } },
              },
              headers: {
                'X-Request-ID': { $ref: '#/components/headers/RequestId' },
                'X-Region': { schema: { type: 'string' } },
              },
            },
            404: { $ref: '#/components/responses/NotFound' },
          },
        },
        delete: { responses: { 204: {} } },
      },
      '/entities': {
        parameters: [{ in: 'header', name: 'X-Trace', schema: { type: 'string' } }],
        get: {
          security: [{ headerKey: [] }, { bearerKey: [] }],
          parameters: [
            { $ref: '#/components/parameters/Page' },
            { in: 'query', name: 'kind', schema: { type: 'string', enum: ['licensed', 'unlicensed'] } },
            { in: 'query', name: 'q', schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^\\S' } },
          ],
          responses: { 200: { content: json(ref('Entity')) } },
        },
      },
      '/keys': {
        post: {
          requestBody: { content: { ...json(ref('NewKey')), 'text/plain': { schema: { type: 'string' } } } },
          responses: { 201: { content: json(ref('Tree')) } },
        },
      },
    },
    components: {
      schemas: {
        Plan: {
          type: 'object',
          required: ['id', 'name', 'price'],
          properties: {
            id: { type: 'string', enum: ['free', 'pro'] },
            name: { type: 'string', description: 'What people see.' },
            price: { type: 'number' },
            since: { type: 'string', format: 'date' },
            note: { type: ['string', 'null'] },
            stage: { const: 'live' },
            limits: { type: 'object', additionalProperties: ref('Limit') },
          },
        },
        Limit: { type: 'object', properties: { perMinute: { type: 'integer' }, perMonth: { type: 'integer' } } },
        Base: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
        Entity: {
          allOf: [
            ref('Base'),
            {
              type: 'object',
              properties: {
                registry: { type: 'object', additionalProperties: true },
                owner: { anyOf: [ref('Person'), ref('Company'), { type: 'null' }] },
              },
            },
          ],
        },
        Person: { type: 'object', properties: { kind: { const: 'person' }, surname: { type: 'string' } } },
        Company: { type: 'object', properties: { kind: { const: 'company' }, number: { type: 'string' } } },
        Tree: {
          type: 'object',
          properties: { label: { type: 'string' }, children: { type: 'array', items: ref('Tree') } },
        },
        NewKey: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 60 },
            days: { type: 'integer', minimum: 1, maximum: 365 },
            scope: { anyOf: [{ const: 'read' }, { const: 'write' }] },
          },
        },
      },
      headers: { RequestId: { required: true, schema: { type: 'string', format: 'uuid' } } },
      parameters: { Page: { in: 'query', name: 'page', schema: { type: 'integer', minimum: 1, maximum: 100 } } },
      responses: { NotFound: { 'x-error-codes': ['plan_not_found', 'plan_retired'] } },
      securitySchemes: {
        headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearerKey: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function edit(contract: OpenApi, edits: Edits): OpenApi {
  for (const [place, value] of Object.entries(edits)) {
    const keys = place.split(' ');
    const last = keys.pop() ?? '';
    let parent: unknown = contract;
    for (const key of keys) parent = (parent as Record<string, unknown>)[key];
    assert.ok(typeof parent === 'object' && parent !== null, `no such place: ${place}`);
    if (value !== undefined) Object.assign(parent, { [last]: structuredClone(value) });
    else assert.ok(last in parent && Reflect.deleteProperty(parent, last), `nothing to remove: ${place}`);
  }
  return contract;
}

/** `released` edits the released contract if the base has nothing to remove. */
function refuses(title: string, edits: Edits, changes: readonly string[], released: Edits = {}): void {
  test(`rejects ${title}`, () => {
    const current = edit(edit(baseContract(), released), edits);
    assert.deepEqual(findBreakingChanges(edit(baseContract(), released), current), changes);
  });
}

function allows(title: string, edits: Edits, released: Edits = {}): void {
  test(`allows ${title}`, () => {
    const current = edit(edit(baseContract(), released), edits);
    assert.deepEqual(findBreakingChanges(edit(baseContract(), released), current), []);
  });
}

const plans = 'paths /plans get';
const plan = 'components schemas Plan';
const entities = 'paths /entities get';
const newKey = 'components schemas NewKey';
const page = 'components parameters Page';

describe('paths, operations and responses', () => {
  allows('the same contract', {});
  allows('a new path', { 'paths /new': { get: { responses: { 200: {} } } } });
  allows('a new operation', { 'paths /plans post': { requestBody: { required: true }, responses: { 200: {} } } });
  allows('a new status', { [`${plans} responses 503`]: {} });
  allows('a new media type', { [`${plans} responses 200 content text/html`]: { schema: { type: 'string' } } });
  allows('a new header', { [`${plans} responses 200 headers X-New`]: { schema: { type: 'string' } } });
  allows('a header in other letters', {
    [`${plans} responses 200 headers X-Region`]: undefined,
    [`${plans} responses 200 headers x-region`]: { schema: { type: 'string' } },
  });
  allows('a new error code', { 'components responses NotFound x-error-codes 2': 'plan_hidden' });

  refuses('a removed path', { 'paths /plans': undefined }, ['/plans: path was removed']);
  refuses('a removed operation', { 'paths /plans delete': undefined }, ['DELETE /plans: operation was removed']);
  refuses('a removed status', { [`${plans} responses 404`]: undefined }, ['GET /plans 404: status was removed']);
  refuses('a removed media type', { [`${plans} responses 200 content text/csv`]: undefined }, [
    'GET /plans 200: media type text/csv was removed',
  ]);
  refuses('a changed type in another media type', { [`${plans} responses 200 content text/csv schema type`]: 'null' }, [
    'GET /plans 200 text/csv: type of body changed from string to null',
  ]);
  refuses('a removed header', { [`${plans} responses 200 headers X-Request-ID`]: undefined }, [
    'GET /plans 200: header x-request-id was removed',
  ]);
  refuses('a header that may be missing now', { 'components headers RequestId required': false }, [
    'GET /plans 200: header x-request-id is no longer always present',
  ]);
  refuses('a header of another type', { 'components headers RequestId schema': { type: 'integer' } }, [
    'GET /plans 200: type of header x-request-id changed from string to integer',
  ]);
  refuses('a removed error code', { 'components responses NotFound x-error-codes': ['plan_retired'] }, [
    'GET /plans 404: error code plan_not_found was removed',
  ]);
});

describe('fields of responses', () => {
  allows('a new optional field', { [`${plan} properties added`]: { type: 'string' } });
  allows('a new nullable field', { [`${plan} properties added`]: { type: ['string', 'null'] } });
  allows('a new field that is always there', {
    [`${plan} properties added`]: { type: 'string' },
    [`${plan} required 3`]: 'added',
  });
  allows('an optional field that is always there now', { [`${plan} required 3`]: 'since' });
  allows('a value that is no longer used', { [`${plan} properties id enum`]: ['pro'] });
  allows('a changed description, summary and example', {
    [`${plan} properties name description`]: 'Changed.',
    [`${plan} properties name example`]: 'Pro',
    [`${plans} summary`]: 'Changed.',
  });
  allows('a reply that no longer leaves open whether it has unlisted fields', {
    [`${plan} additionalProperties`]: false,
  });
  allows('null as anyOf', { [`${plan} properties note`]: { anyOf: [{ type: 'null' }, { type: 'string' }] } });
  allows('listed values as anyOf', {
    [`${plan} properties id`]: { anyOf: [{ const: 'pro', description: 'Best.' }, { const: 'free' }] },
  });
  allows('allOf written out', {
    'components schemas Person': { allOf: [{ type: 'object' }, baseContract().components?.schemas?.Person] },
  });
  test('allows reordered keys', () =>
    assert.deepEqual(findBreakingChanges(baseContract(), reversed(baseContract())), []));

  refuses('a removed field', { [`${plan} properties since`]: undefined }, [
    'GET /plans 200: field data[].since was removed',
  ]);
  refuses(
    'a removed field that was always there',
    { [`${plan} properties name`]: undefined, [`${plan} required`]: ['id', 'price'] },
    ['GET /plans 200: field data[].name was removed'],
  );
  refuses('a removed field in a map', { 'components schemas Limit properties perMonth': undefined }, [
    'GET /plans 200: field data[].limits.*.perMonth was removed',
  ]);
  refuses('a removed field in allOf', { 'components schemas Entity allOf 1 properties registry': undefined }, [
    'GET /entities 200: field registry was removed',
  ]);
  refuses('a removed field in anyOf', { 'components schemas Company properties number': undefined }, [
    'GET /entities 200: field owner.number was removed',
  ]);
  refuses(
    'a removed field in oneOf',
    { [`${plan} properties x oneOf 0 properties a`]: undefined },
    ['GET /plans 200: field data[].x.a was removed'],
    { [`${plan} properties x`]: { oneOf: [{ type: 'object', properties: { a: {}, b: {} } }] } },
  );
  refuses('a removed alternative', { 'components schemas Entity allOf 1 properties owner anyOf 1': { type: 'null' } }, [
    'GET /entities 200: type of field owner changed from object or object 2 or null to object or null or null 2',
  ]);
  refuses('a new alternative', { 'components schemas Entity allOf 1 properties owner anyOf 3': ref('Tree') }, [
    'GET /entities 200: type of field owner changed from object or object 2 or null to object or object 2 or null or object 3',
  ]);
  refuses(
    'free fields that are gone',
    { 'components schemas Entity allOf 1 properties registry additionalProperties': false },
    ['GET /entities 200: field registry no longer has other fields'],
  );
  refuses('a field that may be missing now', { [`${plan} required`]: ['id', 'price'] }, [
    'GET /plans 200: field data[].name is no longer always present',
  ]);
  refuses('another type', { [`${plan} properties price type`]: 'string' }, [
    'GET /plans 200: type of field data[].price changed from number to string',
  ]);
  refuses('a field that may be null now', { [`${plan} properties name type`]: ['string', 'null'] }, [
    'GET /plans 200: type of field data[].name changed from string to string or null',
  ]);
  refuses('a field that is never null now', { [`${plan} properties note type`]: 'string' }, [
    'GET /plans 200: type of field data[].note changed from string or null to string',
  ]);
  refuses('another format', { [`${plan} properties since format`]: 'date-time' }, [
    'GET /plans 200: format of field data[].since changed from date to date-time',
  ]);
  refuses('a lost format', { [`${plan} properties since format`]: undefined }, [
    'GET /plans 200: format of field data[].since changed from date to none',
  ]);
  refuses('a new value', { [`${plan} properties id enum 2`]: 'gold' }, [
    'GET /plans 200: field data[].id may now be "gold"',
  ]);
  refuses('values that are no longer listed', { [`${plan} properties id enum`]: undefined }, [
    'GET /plans 200: field data[].id is no longer limited to "free", "pro"',
  ]);
  refuses('another constant', { [`${plan} properties stage const`]: 'beta' }, [
    'GET /plans 200: field data[].stage may now be "beta"',
  ]);
  refuses('a constant of another type', { [`${plan} properties stage const`]: 1 }, [
    'GET /plans 200: type of field data[].stage changed from string to integer',
  ]);
  allows('a new error code of a field', { [`${plan} properties name x-error-codes`]: ['new'] });
  refuses(
    'a removed error code of a field',
    { [`${plan} properties name x-error-codes`]: ['b'] },
    ['GET /plans 200: error code a was removed'],
    { [`${plan} properties name x-error-codes`]: ['a', 'b'] },
  );
  refuses('a removed field of a recursive schema', { 'components schemas Tree properties label': undefined }, [
    'POST /keys 201: field label was removed',
  ]);
});

describe('requests', () => {
  allows('a new optional parameter', { [`${entities} parameters 3`]: { in: 'query', name: 'new', schema: {} } });
  allows('a new optional body field', { [`${newKey} properties added`]: { type: 'string' } });
  allows('a required body field that is optional now', { [`${newKey} required`]: [] });
  allows('more values', {
    [`${entities} parameters 1 schema enum 2`]: 'all',
    [`${newKey} properties scope anyOf 2`]: { const: 'all' },
  });
  allows('any value', { [`${entities} parameters 1 schema enum`]: undefined });
  allows('wider bounds', {
    [`${page} schema`]: { type: 'integer', minimum: 0, maximum: 1000 },
    [`${newKey} properties name`]: { type: 'string', minLength: 0 },
    [`${entities} parameters 2 schema`]: { type: 'string' },
  });
  allows('a wider type', { [`${page} schema type`]: ['number', 'null'] });
  allows(
    'unlisted fields in a body',
    { [`${newKey} additionalProperties`]: true },
    { [`${newKey} additionalProperties`]: false },
  );

  refuses('a new required parameter', { [`${entities} parameters 3`]: { in: 'query', name: 'new', required: true } }, [
    'GET /entities request: query parameter new is now required',
  ]);
  refuses('an optional parameter made required', { [`${page} required`]: true }, [
    'GET /entities request: query parameter page is now required',
  ]);
  refuses('a removed parameter', { [`${entities} parameters 2`]: { $ref: '#/components/parameters/Page' } }, [
    'GET /entities request: query parameter q was removed',
  ]);
  refuses('a removed parameter of a path', { 'paths /entities parameters': undefined }, [
    'GET /entities request: header parameter x-trace was removed',
  ]);
  refuses('a new required body field', { [`${newKey} properties new`]: {}, [`${newKey} required 1`]: 'new' }, [
    'POST /keys request: field new is now required',
  ]);
  refuses('an optional body field made required', { [`${newKey} required 1`]: 'days' }, [
    'POST /keys request: field days is now required',
  ]);
  refuses('a removed body field', { [`${newKey} properties days`]: undefined }, [
    'POST /keys request: field days was removed',
  ]);
  refuses('a body made required', { 'paths /keys post requestBody required': true }, [
    'POST /keys request: body is now required',
  ]);
  refuses('a new required body', { 'paths /plans delete requestBody': { required: true, content: json({}) } }, [
    'DELETE /plans request: body is now required',
  ]);
  refuses('a removed body', { 'paths /keys post requestBody': undefined }, ['POST /keys request: body was removed']);
  refuses('a removed media type', { 'paths /keys post requestBody content text/plain': undefined }, [
    'POST /keys request: media type text/plain was removed',
  ]);
  refuses('another type', { [`${page} schema type`]: 'string' }, [
    'GET /entities request: type of query parameter page changed from integer to string',
  ]);
  refuses(
    'null that is no longer accepted',
    { [`${newKey} properties days type`]: 'integer' },
    ['POST /keys request: type of field days changed from integer or null to integer'],
    { [`${newKey} properties days type`]: ['integer', 'null'] },
  );
  refuses('a value that is no longer accepted', { [`${entities} parameters 1 schema enum`]: ['licensed'] }, [
    'GET /entities request: query parameter kind no longer accepts "unlicensed"',
  ]);
  refuses('a constant that is no longer accepted', { [`${newKey} properties scope`]: { const: 'read' } }, [
    'POST /keys request: field scope no longer accepts "write"',
  ]);
  refuses('values that are listed now', { [`${newKey} properties name enum`]: ['a', 'b'] }, [
    'POST /keys request: field name is now limited to "a", "b"',
  ]);
  refuses('a raised minimum', { [`${page} schema minimum`]: 2 }, [
    'GET /entities request: minimum of query parameter page changed from 1 to 2',
  ]);
  refuses('a lowered maximum', { [`${page} schema maximum`]: 50 }, [
    'GET /entities request: maximum of query parameter page changed from 100 to 50',
  ]);
  refuses('a raised minLength', { [`${newKey} properties name minLength`]: 2 }, [
    'POST /keys request: minLength of field name changed from 1 to 2',
  ]);
  refuses('a lowered maxLength', { [`${newKey} properties name maxLength`]: 40 }, [
    'POST /keys request: maxLength of field name changed from 60 to 40',
  ]);
  refuses(
    'a bound where there was none',
    { [`${newKey} properties name maxLength`]: 40 },
    ['POST /keys request: maxLength of field name changed from none to 40'],
    { [`${newKey} properties name maxLength`]: undefined },
  );
  refuses('an added pattern', { [`${newKey} properties name pattern`]: '^a' }, [
    'POST /keys request: pattern of field name changed from none to ^a',
  ]);
  refuses('a changed pattern', { [`${entities} parameters 2 schema pattern`]: '^a' }, [
    'GET /entities request: pattern of query parameter q changed from ^\\S to ^a',
  ]);
  refuses('an added format', { [`${newKey} properties name format`]: 'email' }, [
    'POST /keys request: format of field name changed from none to email',
  ]);
  refuses(
    'a bound added by allOf',
    { [`${newKey} properties name`]: { allOf: [{ type: 'string', minLength: 1, maxLength: 60 }, { maxLength: 9 }] } },
    ['POST /keys request: maxLength of field name changed from 60 to 9'],
  );
  refuses('unlisted fields that are forbidden now', { [`${newKey} additionalProperties`]: false }, [
    'POST /keys request: body no longer accepts other fields',
  ]);
});

describe('credentials', () => {
  allows('one more way to get in', { [`${entities} security 2`]: { session: [] } });
  allows('no credentials at all', { [`${entities} security`]: [] });
  allows('an empty requirement instead of none', { [`${plans} security`]: [{}] });

  refuses('credentials where none were needed', { [`${plans} security`]: [{ headerKey: [] }] }, [
    'GET /plans request: credentials are now required',
  ]);
  refuses('credentials for the whole contract', { security: [{ headerKey: [] }] }, [
    'GET /plans request: credentials are now required',
    'DELETE /plans request: credentials are now required',
    'POST /keys request: credentials are now required',
  ]);
  refuses('a removed scheme', { [`${entities} security`]: [{ headerKey: [] }] }, [
    'GET /entities request: bearerKey (http bearer) is no longer accepted',
  ]);
  refuses('a second credential on top', { [`${entities} security 1 headerKey`]: [] }, [
    'GET /entities request: bearerKey (http bearer) is no longer accepted',
  ]);
  refuses('a scheme that is sent in another way', { 'components securitySchemes headerKey name': 'X-Key' }, [
    'GET /entities request: headerKey (apiKey header X-API-Key) is no longer accepted',
  ]);
});

describe('any contract', () => {
  const loop = ref('Loop');
  const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => {
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3, noNullPrototype: true });
    const members = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom<Schema>(
          true,
          { type: 'null' },
          { type: ['integer', 'null'], minimum: 1 },
          { const: 'x' },
          loop,
        ),
        fc.record({ type: fc.constant('string'), enum: fc.subarray(['x', 'y', 'z'], { minLength: 1 }) }),
        fc.record({ type: fc.constant('object'), properties: fields, required: fc.subarray(['a', 'b', 'c']) }),
        fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ allOf: members }),
        fc.record({ anyOf: members }),
        fc.record({ oneOf: members }),
      ),
    };
  });
  const contractWith = (schema: Schema): OpenApi => ({
    paths: {
      '/x': { post: { requestBody: { content: json(schema) }, responses: { 200: { content: json(schema) } } } },
    },
    components: { schemas: { Loop: { allOf: [schema, { type: 'object', properties: { a: loop } }] } } },
  });

  test('stays compatible if something is only added', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const grown = edit(contractWith(growFields(schema)), {
          'paths /new': { get: {} },
          'paths /x get': {},
          'paths /x post parameters': [{ in: 'query', name: 'new', schema }],
          'paths /x post responses 500': { content: json(schema) },
        });
        assert.deepEqual(findBreakingChanges(contractWith(schema), contractWith(schema)), []);
        assert.deepEqual(findBreakingChanges(contractWith(schema), grown), []);
        assert.deepEqual(findBreakingChanges(contractWith(schema), reversed(contractWith(schema))), []);
      }),
      { numRuns: 300 },
    );
  });

  test('can be compared with any other, even if it is recursive', () => {
    fc.assert(
      fc.property(anySchema, anySchema, (released, current) => {
        assert.ok(Array.isArray(findBreakingChanges(contractWith(released), contractWith(current))));
      }),
      { numRuns: 300 },
    );
  });
});

/** Adds an optional field to every object that lists its fields. */
function growFields<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(growFields) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const grown = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, growFields(inner)]));
  if (grown.type === 'object' && 'properties' in grown) Object.assign(grown.properties, { added: { type: 'string' } });
  return grown as Value;
}

function reversed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(reversed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
  return Object.fromEntries(entries.reverse());
}
